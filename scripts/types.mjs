// The public types in one file, index.d.ts, bundled by the build and committed.
//
//   node scripts/types.mjs           takes over what the build made
//   node scripts/types.mjs --check   fails where the committed file is not what the build makes
import { readFileSync, writeFileSync } from 'node:fs';

const committed = new URL('../index.d.ts', import.meta.url);
const built = readFileSync(new URL('../dist/index.d.ts', import.meta.url), 'utf8');
// The build's own regions would only make noise in reviews.
const types = built.replaceAll(/^\/\/# ?(region|endregion).*\n/gm, '').replaceAll(/^\/\/#sourceMappingURL=.*\n?/gm, '');

if (!process.argv.includes('--check')) {
  writeFileSync(committed, types);
} else if (readFileSync(committed, 'utf8') !== types) {
  console.error('index.d.ts is not what the sources in host/ make: run `npm run build:ts` and commit it.');
  process.exit(1);
}
