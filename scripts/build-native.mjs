// Builds the addon (and the `snugfit` command) for this platform and puts them where the loader and the launcher look:
// npm/<platform>/snugfit.node and npm/<platform>/bin/snugfit.
//
//   node scripts/build-native.mjs [--profile release|ci|dev] [--target TRIPLE]
//   node scripts/build-native.mjs --features LIST --out FILE [--profile …]
//
// The second form builds only an addon with other features (test-panic) and leaves the shipped one alone.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));

const { values } = parseArgs({
  options: {
    profile: { type: 'string', default: 'release' },
    target: { type: 'string' },
    features: { type: 'string' },
    out: { type: 'string' },
  },
});

if (values.features && !values.out) fail('--features needs --out FILE: an addon with other features is never the one that ships');

/** Rust's name of the platform to build for: the one asked for, else the compiler's own. */
const triple = values.target ?? hostTriple();
const platform = platformName(triple);
const windows = platform.startsWith('win32');

const { target_directory: targetDirectory } = JSON.parse(run('cargo', ['metadata', '--format-version', '1', '--no-deps'], 'pipe'));

// One call each: together, the features that the command needs of what both use would go into the addon as well, and make it larger.
const target = values.target ? ['--target', values.target] : [];
const features = values.features?.split(',').map((name) => `snugfit-node/${name}`);
// What is tested is the addon that ships: every optimised build of it is the same.
const addonProfile = values.profile === 'dev' ? 'dev' : 'addon';
run(
  'cargo',
  ['build', '--package', 'snugfit-node', '--profile', addonProfile, ...target, ...(features ? ['--features', features.join(',')] : [])],
  'inherit',
);
if (!values.out) run('cargo', ['build', '--package', 'snugfit-cli', '--profile', values.profile, ...target], 'inherit');

const built = (profile) => join(targetDirectory, values.target ?? '', profile === 'dev' ? 'debug' : profile);
const place = join(root, 'npm', platform);
const library = windows ? 'snugfit_node.dll' : platform.startsWith('darwin') ? 'libsnugfit_node.dylib' : 'libsnugfit_node.so';
install(join(built(addonProfile), library), values.out ? resolve(values.out) : join(place, 'snugfit.node'));
if (!values.out) {
  const command = windows ? 'snugfit.exe' : 'snugfit';
  install(join(built(values.profile), command), join(place, 'bin', command));
}

/** Copies beside the destination first: a process that has the old file open keeps it whole. */
function install(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  const fresh = `${to}.${process.pid}`;
  copyFileSync(from, fresh);
  renameSync(fresh, to);
  console.log(`${relative(root, to)}  ${(statSync(to).size / 1e6).toFixed(2)} MB`);
}

function hostTriple() {
  const line = run('rustc', ['-vV'], 'pipe')
    .split('\n')
    .find((text) => text.startsWith('host: '));
  if (!line) fail('`rustc -vV` names no host platform');
  return line.slice('host: '.length).trim();
}

/** The name of Node's platform packages for a triple of Rust's, such as `linux-x64-gnu`. */
function platformName(of) {
  const arch = { x86_64: 'x64', aarch64: 'arm64' }[of.split('-')[0]];
  const rest = [
    ['-linux-gnu', 'linux', 'gnu'],
    ['-linux-musl', 'linux', 'musl'],
    ['-apple-darwin', 'darwin'],
    ['-windows-msvc', 'win32', 'msvc'],
  ].find(([end]) => of.endsWith(end));
  if (!arch || !rest) fail(`no platform package for ${of}: snugfit builds for x64 and arm64 on Linux, macOS and Windows`);
  const [, system, abi] = rest;
  return [system, arch, abi].filter(Boolean).join('-');
}

function run(command, args, stdout) {
  const child = spawnSync(command, args, { cwd: root, stdio: ['ignore', stdout, 'inherit'], encoding: 'utf8', maxBuffer: 1 << 26 });
  if (child.error) fail(`${command} could not be started (${child.error.message}); snugfit's native parts need Rust: https://rustup.rs`);
  if (child.status !== 0) fail(`\`${command} ${args.join(' ')}\` failed`);
  return child.stdout ?? '';
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
