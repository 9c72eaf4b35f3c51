// The types of the package: those of the root in one file, index.d.ts, bundled by the build and committed; and a CommonJS face of all.
//
//   node scripts/types.mjs --clean   empties dist/, before a build
//   node scripts/types.mjs           takes over what the build made
//   node scripts/types.mjs --check   fails where the committed file is not what the build makes
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';

const committed = new URL('../index.d.ts', import.meta.url);
const dist = new URL('../dist/', import.meta.url);

if (process.argv.includes('--clean')) {
  rmSync(dist, { recursive: true, force: true });
} else if (process.argv.includes('--check')) {
  if (readFileSync(committed, 'utf8') !== rootTypes()) {
    console.error('index.d.ts is not what the sources in host/ make: run `npm run build:ts` and commit it.');
    process.exit(1);
  }
} else {
  writeFileSync(committed, rootTypes());
  for (const name of readdirSync(dist).filter((file) => file.endsWith('.d.ts'))) {
    const types = readFileSync(new URL(name, dist), 'utf8');
    // What they import of each other has to be CommonJS, too.
    writeFileSync(new URL(name.replace(/\.d\.ts$/, '.d.cts'), dist), types.replaceAll(/(from ["']\.\/[^"']+)\.js(["'])/g, '$1.cjs$2'));
  }
}

/** The build's own regions would only make noise in reviews. */
function rootTypes() {
  const built = readFileSync(new URL('index.d.ts', dist), 'utf8');
  return built.replaceAll(/^\/\/# ?(region|endregion).*\n/gm, '').replaceAll(/^\/\/#sourceMappingURL=.*\n?/gm, '');
}
