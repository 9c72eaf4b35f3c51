// Wraps a tool and has it give one large result after another, each another one: memory must stay flat, previews within their budget, and the newest
// originals there.
//
//   node soak/host.mjs [--results 20000]
//
// Prints one JSON object; exits with 1 where something does not hold.
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { shrinkfitTools } from 'snugfit';

const { values } = parseArgs({ options: { results: { type: 'string', default: '20000' } } });
const results = Number(values.results);
/** Calls under way at the same time. */
const LANES = 8;
/** Newest originals that are read back in the end; the store keeps 128. */
const NEWEST = 100;
/** What memory may grow by after the first tenth, in which the store fills up. */
const GROWTH = 64e6;

/** 1,500 rows, of another form for each of four numbers in a row. */
function result(n) {
  const rows = Array.from({ length: 1500 }, (_, row) => ({
    id: `${n}-${row}`,
    status: row % 97 === n % 97 ? 'failed' : 'ok',
    value: (n * 31 + row * 17) % 1000,
  }));
  if (n % 4 === 0) return rows;
  if (n % 4 === 1) return JSON.stringify({ total: rows.length, rows });
  if (n % 4 === 2)
    return rows
      .map(
        ({ id, status, value }) => `2026-11-30 12:00:00 ${status === 'ok' ? 'INFO' : 'ERROR'} request ${id} took ${value} ms, démarré 😀`,
      )
      .join('\n');
  return { content: [{ type: 'text', text: rows.map(({ id, status }) => `${id},${status}`).join('\n') }] };
}

/** The characters of the smallest and of the largest result. */
let [least, most] = [Infinity, 0];
function measured(value) {
  const { length } = typeof value === 'string' ? value : JSON.stringify(value);
  [least, most] = [Math.min(least, length), Math.max(most, length)];
  return value;
}

const { tools, close } = shrinkfitTools({ make: { execute: ({ n }) => measured(result(n)) } }, { shrinkfit: 4000 });
const textOf = (value) => (typeof value === 'string' ? value : value.content.map(({ text }) => text).join(''));
const faults = [];
const ids = new Map();
let [next, previews, base] = [0, 0, 0];

async function lane() {
  while (next < results) {
    const n = next++;
    const preview = textOf(await tools.make.execute({ n }));
    const length = [...preview].length;
    previews += length;
    if (length > 4000) faults.push(`result ${n}: a preview of ${length} characters`);
    const id = /"response_id":"([^"]+)"/.exec(preview)?.[1];
    if (id === undefined) faults.push(`result ${n}: no id`);
    else ids.set(n, id);
    ids.delete(n - 2 * NEWEST);
    if (n === Math.floor(results / 10)) base = process.memoryUsage().rss;
  }
}

const begun = performance.now();
await Promise.all(Array.from({ length: LANES }, lane));
const seconds = (performance.now() - begun) / 1000;
const end = process.memoryUsage().rss;
if (end - base > GROWTH) faults.push(`memory grew by ${Math.round((end - base) / 1e6)} MB`);

for (let n = Math.max(0, results - NEWEST); n < results; n++) {
  const original = await tools.compressor_recover_response.execute({ response_id: ids.get(n) });
  const given = result(n);
  if (original !== (typeof given === 'string' ? given : JSON.stringify(given))) faults.push(`result ${n}: another original`);
}
close();
// Freed memory goes back to the system in its own time.
await sleep(100);
const megabytes = (n) => Math.round(n / 1e6);
console.log(
  JSON.stringify({
    results,
    seconds: Math.round(seconds),
    originals: [least, most],
    previews,
    afterTenth: megabytes(base),
    atEnd: megabytes(end),
    faults: faults.slice(0, 10),
  }),
);
process.exitCode = faults.length === 0 ? 0 : 1;
