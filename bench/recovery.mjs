// One call away: for every cut that a preview names or marks, whether the address leads to what was cut, and what that costs.
//
//   node bench/recovery.mjs [folder of payloads …]
//
// Each payload goes through a wrapped tool at three budgets. Each place in the report, and each list or object of the preview that has a
// marker, is read by the recovery tool in answers of at most 2,000 characters, all pages, and compared with the payload itself.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { fileURLToPath } from 'node:url';
import { shrinkfitTools } from '../dist/index.js';

const BUDGETS = [2000, 6000, 20_000];
const ANSWER = 2000;
/** Answers for one cut: reading a large list to its end takes thousands, each of which looks through the original. Its beginning tells. */
const allowance = (original) => Math.min(400, Math.max(12, Math.floor(20_000_000 / original.length)));

const own = fileURLToPath(new URL('fidelity/payloads/', import.meta.url));
const shared = fileURLToPath(new URL('../../shared/fidelity/corpus/payloads/', import.meta.url));
const folders = process.argv.length > 2 ? process.argv.slice(2) : [own, ...(existsSync(shared) ? [shared] : [])];

const totals = { cuts: 0, found: 0, answers: 0, chars: 0, first: 0 };
for (const folder of folders) {
  for (const name of readdirSync(folder).sort()) {
    const original = readFileSync(`${folder}/${name}`, 'utf8');
    for (const budget of BUDGETS) await measure(name, original, budget);
  }
}
console.log(`cuts named or marked       ${totals.cuts}`);
console.log(`led to what was cut        ${totals.found}   share ${(totals.found / totals.cuts).toFixed(4)}   (goal: 1.00)`);
console.log(`characters of an answer    ${(totals.chars / totals.answers).toFixed(0)}   (at most ${ANSWER})`);
console.log(`answers to read all of it  ${(totals.answers / totals.cuts).toFixed(1)}`);
process.exitCode = totals.found === totals.cuts ? 0 : 1;

async function measure(name, original, budget) {
  let report;
  const probe = { execute: async () => original };
  const { tools, close } = shrinkfitTools(
    { probe },
    { shrinkfit: budget, recoveryBudget: ANSWER, onFit: (event) => (report = event.report) },
  );
  const preview = await tools.probe.execute();
  if (preview === original) return close();
  const id = /"response_id":"([^"]+)"/.exec(preview)?.[1];
  const reader = () => {
    let left = allowance(original);
    return {
      read: (input) => (left--, tools.compressor_recover_response.execute({ response_id: id, ...input })),
      mayRead: () => left > 0,
    };
  };
  const value = valueOf(original);
  const paths = new Set([...report.omitted.flatMap(({ path }) => (path === undefined ? [] : [path])), ...marked(preview)]);
  const lines = new Set(report.omitted.flatMap((cut) => (cut.lines === undefined ? [] : [cut.lines])));
  const checks = [
    ...[...paths].map((path) => [{ path: JSON.parse(`"${path}"`) }, () => checkPath(reader(), value, JSON.parse(`"${path}"`))]),
    ...[...lines].map((range) => [{ lines: range }, () => checkLines(reader(), original, range)]),
  ];
  for (const [address, check] of checks) {
    totals.cuts++;
    try {
      if (await check()) totals.found++;
      else console.log(`${name} at ${budget}: ${JSON.stringify(address)} gives something else`);
    } catch (error) {
      console.log(`${name} at ${budget}: ${JSON.stringify(address)}: ${error.message}`);
    }
  }
  close();
}

/** The JSON value that pointers lead into: lines of JSON are a list. */
function valueOf(original) {
  try {
    return JSON.parse(original);
  } catch {
    try {
      return original
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line) => JSON.parse(line));
    } catch {
      return undefined;
    }
  }
}

/** The pointers, as patterns, of the lists and objects of a JSON preview that have a marker. */
function* marked(preview) {
  const value = valueOf(preview);
  const open = typeof value === 'object' && value !== null ? [['', value]] : [];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [path, container] = next;
    const list = Array.isArray(container);
    const entries = Object.entries(container);
    if (path !== '' && entries.some(([key, entry]) => (list ? typeof entry === 'string' && entry.startsWith('…[') : key === '…')))
      yield path;
    for (const [key, entry] of entries) {
      if (typeof entry !== 'object' || entry === null || (path === '' && key === 'truncation')) continue;
      const step = list ? '*' : key.replaceAll('~', '~0').replaceAll('/', '~1');
      open.push([`${path}/${JSON.stringify(step).slice(1, -1)}`, entry]);
    }
  }
}

/** The pages of a read, at least one, as far as the allowance goes. */
async function pages({ read, mayRead }, input) {
  const all = [];
  let next = input;
  do {
    const answer = await read(next);
    if (Array.from(answer).length > ANSWER) throw new Error(`an answer of ${answer.length} characters`);
    totals.answers++;
    totals.chars += answer.length;
    const about = JSON.parse(answer.slice(answer.startsWith('{"part"') ? 0 : answer.lastIndexOf('\n') + 1));
    all.push({ answer, about });
    next = about.next_cursor === undefined ? undefined : { cursor: about.next_cursor };
  } while (next !== undefined && mayRead());
  return { all, isWhole: next === undefined };
}

async function checkLines(reader, original, range) {
  const [first, last = first] = range.split('-').map(Number);
  const lines = original.replace(/\n$/, '').split('\n');
  const expected = lines.slice(first - 1, last).join('\n');
  let text = '';
  let inside = true;
  const { all, isWhole } = await pages(reader, { lines: range });
  for (const { answer, about } of all) {
    const line = /^line \d+ of \d+, characters \d+-(\d+) of (\d+)$/.exec(about.of);
    text += (inside ? '' : '\n') + answer.slice(0, Math.max(answer.lastIndexOf('\n'), 0));
    inside = line !== null && line[1] !== line[2];
  }
  return isWhole ? text === expected : isStart(text, expected);
}

async function checkPath(reader, value, path) {
  const expected = [...expand(value, path.split('/').slice(1).map(unescape_))];
  const { many, found, isWhole } = await fetchAll(reader, path);
  if (isWhole && !many) return isDeepStrictEqual(found, expected[0]);
  if (isWhole) return isDeepStrictEqual(found, expected);
  return isStart(found, many ? expected : expected[0]);
}

/** Whether a value is the beginning of another: a prefix, or the first items or keys of which the last may be a beginning itself. */
function isStart(found, expected) {
  if (typeof found === 'string') return found !== '' && typeof expected === 'string' && expected.startsWith(found);
  if (typeof found !== 'object' || found === null || typeof expected !== 'object' || expected === null) return false;
  const keys = Object.keys(found);
  const same = (key) => isDeepStrictEqual(found[key], expected[key]);
  return keys.length > 0 && keys.slice(0, -1).every(same) && (same(keys.at(-1)) || isStart(found[keys.at(-1)], expected[keys.at(-1)]));
}

/** What a path leads to, put together from its pages; what a page shortened is read by its own path. */
async function fetchAll(reader, path) {
  const { all, isWhole } = await pages(reader, { path });
  if (all[0].about.matches !== undefined) return fetchEntries(reader, all, isWhole);
  const parts = [];
  for (const { about } of all) {
    const own = /shortened: read (.*) by its own path$/.exec(about.of)?.[1];
    if (own === undefined) {
      parts.push(about.part);
      continue;
    }
    const whole = await fetchAll(reader, own);
    parts.push(Array.isArray(about.part) ? [whole.found] : { [Object.keys(about.part)[0]]: whole.found });
    if (!whole.isWhole) return { many: isRange(path), found: joined(parts, all[0].about), isWhole: false };
  }
  return { many: isRange(path), found: joined(parts, all[0].about), isWhole };
}

/** The values of a path that leads to several. */
async function fetchEntries(reader, all, isWhole) {
  const found = [];
  for (const { about } of all) {
    for (const entry of about.part) {
      if (!about.of.includes('shortened')) {
        found.push(entry.value);
        continue;
      }
      const whole = await fetchAll(reader, entry.path);
      found.push(whole.found);
      if (!whole.isWhole) return { many: true, found, isWhole: false };
    }
  }
  return { many: true, found, isWhole };
}

function isRange(path) {
  return /\/\d+\.\.\d+$/.test(path);
}

/** Pages of a string, a list or an object as one; anything else has one page. */
function joined(parts, first) {
  const [part] = parts;
  if (typeof part === 'string' && first.of.startsWith('characters')) return parts.join('');
  if (Array.isArray(part)) return parts.flat();
  return typeof part === 'object' && part !== null ? Object.assign({}, ...parts) : part;
}

function* expand(value, [step, ...rest]) {
  if (step === undefined) return yield value;
  if (typeof value !== 'object' || value === null) return;
  const range = Array.isArray(value) ? /^(\d+)\.\.(\d+)$/.exec(step) : null;
  if (Object.hasOwn(value, step)) yield* expand(value[step], rest);
  else if (step === '*') for (const entry of Object.values(value)) yield* expand(entry, rest);
  else if (range !== null) for (const entry of value.slice(Number(range[1]), Number(range[2]) + 1)) yield* expand(entry, rest);
}

function unescape_(step) {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}
