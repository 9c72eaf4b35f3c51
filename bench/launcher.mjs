// What starting the command through bin/snugfit.js costs beside a bare start of Node: medians over fresh processes.
//
//   node bench/launcher.mjs
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const RUNS = 25;

const launcher = fileURLToPath(new URL('../bin/snugfit.js', import.meta.url));
const bare = [];
const launched = [];
// Taken in turns, so that whatever else the machine does falls on both alike. The first round only warms the file cache.
for (let run = 0; run <= RUNS; run++) {
  const empty = start(['-e', '0']);
  const full = start([launcher, '--version']);
  if (run === 0) continue;
  bare.push(empty);
  launched.push(full);
}

const over = median(launched) - median(bare);
console.log(`node, bare          ${median(bare).toFixed(1)} ms`);
console.log(`node, snugfit       ${median(launched).toFixed(1)} ms   (${over.toFixed(1)} ms over bare; goal: at most 25 ms)`);

function start(args) {
  const before = performance.now();
  const child = spawnSync(process.execPath, args, { encoding: 'utf8' });
  const ms = performance.now() - before;
  if (child.status !== 0) {
    console.error(child.stderr);
    process.exit(1);
  }
  return ms;
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}
