// The addon's size, and what loading it costs beside a bare start of Node: medians over fresh processes.
//
//   node bench/load.mjs [path/to/snugfit.node]
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const RUNS = 25;

const addon = process.argv[2] ?? builtAddon();
if (!addon) {
  console.error('No addon was built yet: run `npm run build:native` first.');
  process.exit(1);
}

const load = `
  const { performance } = require('node:perf_hooks');
  const before = performance.now();
  require(${JSON.stringify(addon)}).version();
  process.stdout.write(String(performance.now() - before));
`;

const bare = [];
const loaded = [];
const inside = [];
// Taken in turns, so that whatever else the machine does falls on both alike. The first round only warms the file cache.
for (let run = 0; run <= RUNS; run++) {
  const empty = start("require('node:perf_hooks'); process.stdout.write('0')");
  const full = start(load);
  if (run === 0) continue;
  bare.push(empty.ms);
  loaded.push(full.ms);
  inside.push(Number(full.out));
}

const bytes = statSync(addon).size;
console.log(`addon               ${(bytes / 1e6).toFixed(2)} MB   (goal: at most 4 MB)`);
console.log(`require()           ${median(inside).toFixed(2)} ms   (goal: at most 30 ms)`);
console.log(`node, bare          ${median(bare).toFixed(1)} ms`);
console.log(`node, addon loaded  ${median(loaded).toFixed(1)} ms   (${(median(loaded) / median(bare)).toFixed(3)} of bare)`);

function start(code) {
  const before = performance.now();
  const child = spawnSync(process.execPath, ['-e', code], { encoding: 'utf8' });
  const ms = performance.now() - before;
  if (child.status !== 0) {
    console.error(child.stderr);
    process.exit(1);
  }
  return { ms, out: child.stdout };
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

/** The newest addon under npm/: the one of the last build. */
function builtAddon() {
  const npm = fileURLToPath(new URL('../npm/', import.meta.url));
  return readdirSync(npm)
    .map((platform) => `${npm}${platform}/snugfit.node`)
    .filter((file) => statSync(file, { throwIfNoEntry: false }))
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0];
}
