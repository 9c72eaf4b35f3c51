// A flood of large results at once: whether they are fitted in their order, whether each can be read again, and what memory it takes beside one
// of them alone.
//
//   node bench/flood.mjs
import { performance } from 'node:perf_hooks';
import { clearInterval, setInterval } from 'node:timers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { shrinkfitTools } from 'snugfit';

const RESULTS = 24;
const BYTES = 40e6;
/** Megabytes: the copies that are let across the border at a time, and as much for the fits that read them. */
const GOAL = 512;
/** Results that are fitted at a time: so far the order in which they end may be another. */
const TOGETHER = 4;

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc');

const items = [];
for (let size = 0, id = 0; size < BYTES; id++) {
  const item = JSON.stringify({
    id,
    name: `record ${id}`,
    state: id % 9 ? 'open' : 'closed',
    note: 'nothing found. '.repeat(5),
    score: id / 7,
  });
  items.push(item);
  size += item.length + 1;
}
const rest = `"items":[${items.join(',')}]}`;
items.length = 0;
const results = Array.from({ length: RESULTS }, (_, n) => Buffer.from(`{"n":${n},${rest}`).toString('latin1'));

const { tools, close } = shrinkfitTools({ probe: { execute: async ({ n }) => results[n] } }, { shrinkfit: 20_000, store: { bytes: 4e9 } });
const one = await peak(1);
const flood = await peak(RESULTS);
let whole = 0;
for (const [n, id] of flood.ids.entries()) {
  const original = await tools.compressor_recover_response.execute({ response_id: id });
  whole += Number(original === results[n]);
}
close();
console.log(
  `${RESULTS} results of ${(BYTES / 1e6).toFixed(0)} MB at once: ${(flood.ms / RESULTS).toFixed(0)} ms each, one alone ${one.ms.toFixed(0)} ms`,
);
console.log(`ended in their order, but for ${TOGETHER} that are fitted at a time: ${flood.order} of ${RESULTS}   (goal: all)`);
console.log(`recovered whole: ${whole} of ${RESULTS}   (goal: all)`);
console.log(`memory beside one alone and what the store keeps: ${flood.megabytes - one.megabytes} MB   (goal: at most ${GOAL} MB)`);

/** So many results at once: their ids, how long they take, and the most memory, less what the store holds of them. */
async function peak(count) {
  gc();
  const before = process.memoryUsage().rss;
  let most = 0;
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 10);
  const ended = [];
  const begun = performance.now();
  const previews = await Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const preview = await tools.probe.execute({ n });
      ended.push(n);
      return preview;
    }),
  );
  const ms = performance.now() - begun;
  clearInterval(watch);
  const after = process.memoryUsage().rss;
  const ids = previews.map((preview) => JSON.parse(preview).truncation.response_id);
  const order = ended.filter((n, at) => Math.abs(n - at) < TOGETHER).length;
  return { ids, ms, order, megabytes: Math.round((most - Math.max(before, after)) / 1e6) };
}
