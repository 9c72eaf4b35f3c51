// Puts what a release publishes into a folder, a subfolder for each npm package, ready for `npm publish`:
//
//   node scripts/stage-release.mjs OUT [PLATFORM…]
//
// A platform is a folder of npm/; all of them unless some are named. In the repository package.json names no platform package, since before
// their first release nothing could be installed then; what is published does.
import { chmodSync, cpSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [out, ...chosen] = process.argv.slice(2);
if (!out) fail('where to? node scripts/stage-release.mjs OUT [PLATFORM…]');
const platforms = readdirSync(join(root, 'npm'));
for (const platform of chosen.length > 0 ? chosen : platforms) stagePlatform(platform);
stageMain();

/** A platform's package: its folder with the binaries that were built for it, and the terms of what is inside them. */
function stagePlatform(platform) {
  const from = join(root, 'npm', platform);
  const command = platform.startsWith('win32') ? 'bin/snugfit.exe' : 'bin/snugfit';
  for (const built of ['snugfit.node', command]) {
    if (!existsSync(join(from, built)))
      fail(`npm/${platform}/${built} is not there: build it on that platform with \`make build PROFILE=release\``);
  }
  const to = resolve(out, platform);
  cpSync(from, to, { recursive: true });
  for (const terms of ['LICENSE', 'THIRD-PARTY-LICENSES']) cpSync(join(root, terms), join(to, terms));
  // Artifacts of a workflow come without their permissions.
  chmodSync(join(to, command), 0o755);
}

/** The package that people install: what its package.json names, but for the binaries, which come with the platforms' packages. */
function stageMain() {
  const to = resolve(out, 'snugfit');
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  delete manifest.scripts;
  delete manifest.devDependencies;
  manifest.files = manifest.files.filter((file) => !file.startsWith('npm/'));
  manifest.optionalDependencies = Object.fromEntries(platforms.map((platform) => [`@snugfit/${platform}`, manifest.version]));
  for (const file of ['README.md', 'LICENSE', ...manifest.files.filter((name) => !name.startsWith('!'))]) {
    cpSync(join(root, file), join(to, file), { recursive: true });
  }
  writeFileSync(join(to, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
