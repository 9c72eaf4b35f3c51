// How long the event loop stands still while a large result is fitted, beside `JSON.parse` of the same text in the same run.
//
//   node bench/blocking.mjs [megabytes]
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { shrinkfitTools } from 'snugfit';

const RUNS = 5;
/** Milliseconds between two looks at the event loop; what is measured is how late a look comes. */
const RESOLUTION = 1;

const megabytes = Number(process.argv[2] ?? 10);
const text = records(megabytes * 1e6);
const { tools, close } = shrinkfitTools({ probe: { execute: async (result) => result } }, { shrinkfit: 20_000, store: { bytes: 1e9 } });

const fitting = await measure((result) => tools.probe.execute(result));
const { response_id } = JSON.parse(await tools.probe.execute(text)).truncation;
const recovering = await measure(() => tools.compressor_recover_response.execute({ response_id }));
const parsing = await measure(async (result) => JSON.parse(result));
const idle = await measure(() => sleep(200));
close();

console.log(`a result of ${megabytes} MB     longest block   whole time   (medians of ${RUNS})`);
print('fitted', fitting);
print('recovered', recovering);
print('JSON.parse', parsing);
print('nothing, for 200 ms', idle);
console.log(`fitting blocks ${(fitting.blocked / parsing.blocked).toFixed(3)} of what JSON.parse does`);

/** The longest block and the whole time of `work` on a string that nobody has touched, in milliseconds. */
async function measure(work) {
  const blocked = [];
  const total = [];
  for (let n = 0; n < RUNS; n++) {
    const result = Buffer.from(text + ' '.repeat(n)).toString();
    const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
    delay.enable();
    // A block is told from the look before it, so one must have been taken.
    await sleep(10 * RESOLUTION);
    const before = performance.now();
    await work(result);
    total.push(performance.now() - before);
    await sleep(5 * RESOLUTION);
    delay.disable();
    blocked.push(Math.max(0, delay.max / 1e6 - RESOLUTION));
  }
  return { blocked: median(blocked), total: median(total) };
}

function print(name, { blocked, total }) {
  console.log(`${name.padEnd(22)}${`${blocked.toFixed(2)} ms`.padStart(14)}${`${total.toFixed(1)} ms`.padStart(13)}`);
}

function median(values) {
  return values.sort((a, b) => a - b)[values.length >> 1];
}

/** JSON of about `bytes` bytes, as an API gives it. */
function records(bytes) {
  const items = [];
  for (let size = 0, n = 0; size < bytes; n++) {
    const item = {
      id: n,
      name: `record ${n}`,
      state: n % 9 ? 'open' : 'closed',
      note: 'Größe geprüft, nothing found. '.repeat(3),
      score: n / 7,
    };
    items.push(item);
    size += Buffer.byteLength(JSON.stringify(item)) + 1;
  }
  return JSON.stringify({ total: items.length, items });
}
