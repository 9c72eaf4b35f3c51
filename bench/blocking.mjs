// How long the event loop stands still, beside `JSON.parse` of the same text in the same run; what a result within the budget pays; and many
// results at once beside two bare threads.
//
//   node bench/blocking.mjs
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { shrinkfitTools } from 'snugfit';

const RUNS = 5;
/** Milliseconds between two looks at the event loop; what is measured is how late a look comes. */
const RESOLUTION = 1;
const options = { shrinkfit: 20_000, store: { bytes: 1e9 } };

let given;
const { tools, close } = shrinkfitTools({ probe: { execute: async () => given } }, options);
const fitting = (text) => {
  given = text;
  return tools.probe.execute({});
};
const idle = await measure(() => sleep(200), '');
console.log(
  `longest block of the event loop, median (and least) of ${RUNS} runs, and the whole time; what else runs here blocks it as well:`,
);
print('nothing, for 200 ms', idle, idle);
for (const [megabytes, goals] of [
  [10, { recovered: 2 }],
  [40, { fitted: 10 }],
]) {
  const text = records(megabytes * 1e6);
  const fitted = await measure(fitting, text);
  const { response_id } = JSON.parse(await fitting(text)).truncation;
  const recovered = await measure(() => tools.compressor_recover_response.execute({ response_id }), '');
  const parsed = await measure(async (result) => JSON.parse(result), text);
  print(`${megabytes} MB fitted`, fitted, parsed, goals.fitted);
  print(`${megabytes} MB recovered`, recovered, parsed, goals.recovered);
  print(`${megabytes} MB JSON.parse`, parsed, parsed);
}
withinTheBudget();
await manyAtOnce();
close();

/** What a call costs over the bare tool where its result fits. */
function withinTheBudget() {
  const calls = 1_000_000;
  const small = records(4000);
  const bare = { execute: () => small };
  const wrapped = shrinkfitTools({ bare }, options);
  const cost = (tool) => {
    const times = [];
    for (let run = 0; run < RUNS; run++) {
      const before = performance.now();
      for (let n = 0; n < calls; n++) tool.execute({ n });
      times.push(((performance.now() - before) * 1000) / calls);
    }
    return median(times);
  };
  const over = cost(wrapped.tools.bare) - cost(bare);
  console.log(`a result within the budget adds ${over.toFixed(3)} µs   (goal: under 2 µs)`);
  wrapped.close();
}

/** 1,000 results of 100 kB at once, beside the same fits on two threads that do nothing else. */
async function manyAtOnce() {
  const results = Array.from({ length: 1000 }, (_, n) => `{"n":${n},${records(100_000).slice(1)}`);
  const wrapped = shrinkfitTools(
    { probe: { execute: async ({ n }) => results[n] } },
    { shrinkfit: 6000, store: { entries: 1000, bytes: 1e9 } },
  );
  const ours = [];
  const threads = [];
  for (let run = 0; run < 3; run++) {
    const before = performance.now();
    await Promise.all(results.map((_, n) => wrapped.tools.probe.execute({ n })));
    ours.push(performance.now() - before);
    threads.push(await onTwoThreads(results));
  }
  wrapped.close();
  const ratio = median(ours) / median(threads);
  const times = `${median(ours).toFixed(0)} ms, on two bare threads ${median(threads).toFixed(0)} ms`;
  console.log(`1,000 results of 100 kB at once: ${times}: ${ratio.toFixed(2)} times   (goal: at most 1.3)`);
}

/** Milliseconds that two threads take which each fit half of the results, one after the other, as `fitSync` does. */
async function onTwoThreads(results) {
  const code = `
    const { parentPort, workerData } = require('node:worker_threads');
    import(${JSON.stringify(import.meta.resolve('snugfit'))}).then(({ fitSync }) => {
      fitSync(workerData[0], { budget: 6000 });
      parentPort.postMessage('ready');
      parentPort.once('message', () => {
        for (const result of workerData) fitSync(result, { budget: 6000 });
        parentPort.postMessage('done');
      });
    });`;
  const workers = [0, 1].map((half) => new Worker(code, { eval: true, workerData: results.filter((_, n) => n % 2 === half) }));
  const all = (message) =>
    Promise.all(workers.map((worker) => new Promise((resolve) => worker.on('message', (said) => said === message && resolve()))));
  await all('ready');
  const before = performance.now();
  const done = all('done');
  for (const worker of workers) worker.postMessage('go');
  await done;
  const ms = performance.now() - before;
  await Promise.all(workers.map((worker) => worker.terminate()));
  return ms;
}

/** The longest block and the whole time of `work` on a string that nobody has touched, in milliseconds. */
async function measure(work, text) {
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
  return { blocked: median(blocked), least: Math.min(...blocked), total: median(total) };
}

function print(name, { blocked, least, total }, parsed, goal) {
  const beside = goal === undefined ? '' : `   ${(blocked / parsed.blocked).toFixed(3)} of JSON.parse (goal: at most ${goal} ms)`;
  const block = `${blocked.toFixed(2)} (${least.toFixed(2)}) ms`;
  console.log(`${name.padEnd(20)}${block.padStart(20)}${`${total.toFixed(0)} ms`.padStart(10)}${beside}`);
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
