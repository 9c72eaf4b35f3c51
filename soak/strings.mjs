// Strings of every form across the border of the addon, over and over, in and out: each must come back as it was.
//
//   node --expose-gc soak/strings.mjs [--rounds 20]
//
// Prints one JSON object; exits with 1 where something does not hold.
import { parseArgs } from 'node:util';
import { fit, fitSync, shrinkfitTools } from 'snugfit';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '20' } } });
const rounds = Number(values.rounds);
/** Characters of one byte, of two in Latin-1 and UTF-8, of one unit, of two units, and halves of those. */
const LETTERS = ['a', 'é', '世', '😀', '\ud83d', '\ude00', '\0', 'ÿ'];
/** Around what is copied at once, what comes in pieces, and what goes out as an external string. */
const LENGTHS = [0, 1, 2, 3, 15, 16, 17, 255, 4095, 65_535, 65_536, 65_537, 262_143, 300_001, 1_100_003];

const faults = [];
let strings = 0;
const mixed = (round, length) => Array.from({ length }, (_, at) => LETTERS[(at * (round + 1) + (at >> 3)) % LETTERS.length]).join('');
const forms = (round, length) => [LETTERS[round % LETTERS.length].repeat(length), mixed(round, length), `a${'世'.repeat(length)}`.slice(1)];

/** The tool gives one of them, its preview is small, and the original is the very string. */
const given = { value: '' };
const { tools, close } = shrinkfitTools({ give: { execute: () => given.value } }, { shrinkfit: 1000, store: { bytes: 256e6 } });

for (let round = 0; round < rounds; round++) {
  for (const length of LENGTHS) {
    for (const text of forms(round, length)) {
      strings++;
      const what = `${JSON.stringify(text.slice(0, 5))}… of ${length}`;
      // What fits comes back as it was; a preview has no lone surrogates.
      const whole = fitSync(text, { budget: 10_000_000 }).text;
      if (whole !== text.toWellFormed?.() && whole !== text) faults.push(`${what}: another string`);
      const bytes = Buffer.from(text);
      const [sync, async, fromBytes] = [
        fitSync(text, { budget: 700 }),
        await fit(text, { budget: 700 }),
        await fit(bytes, { budget: 700 }),
      ];
      if (sync.text !== async.text) faults.push(`${what}: another preview`);
      if ([...fromBytes.text].length > 700) faults.push(`${what}: a preview over its budget`);
      given.value = text;
      const preview = await tools.give.execute({});
      const id = /"response_id":"([^"]+)"/.exec(preview)?.[1];
      const original = id === undefined ? preview : await tools.compressor_recover_response.execute({ response_id: id });
      if (original !== text) faults.push(`${what}: another original`);
    }
    // External strings are freed by the collector, which is not sure to run otherwise.
    globalThis.gc?.();
  }
  // Given up in the middle.
  const stop = new AbortController();
  const stopped = Promise.allSettled(LENGTHS.map((length) => fit(mixed(round, length), { budget: 700, signal: stop.signal })));
  stop.abort();
  await stopped;
}
close();
console.log(JSON.stringify({ rounds, strings, faults: faults.slice(0, 10) }));
process.exitCode = faults.length === 0 ? 0 : 1;
