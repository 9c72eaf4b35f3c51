// The instructions that fitting one megabyte of each of a few kinds takes, beside those in bench/instructions.json: callgrind counts the same on
// every run, however busy the machine is. Fails where one takes a tenth more; skips, and says so, where there is no valgrind, and where another
// compiler or another processor's vector instructions make another program of it.
//
//   node scripts/count-instructions.mjs [--write]      (after a build with the profile `ci`)
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BYTES = 1_000_000;
const MOST = 1.1;

const root = fileURLToPath(new URL('..', import.meta.url));
const known = join(root, 'bench/instructions.json');
const command = readdirSync(join(root, 'npm'))
  .map((platform) => join(root, 'npm', platform, 'bin/snugfit'))
  .find((file) => existsSync(file));

const words =
  'amber anchor basket beacon branch candle carbon cedar copper delta ember falcon harbor island marble ocean river timber'.split(' ');
/** Always the same numbers: a linear congruential generator. */
let seed = 1;
const below = (most) => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
  return (seed >>> 8) % most;
};
const some = (count) => Array.from({ length: count }, () => words[below(words.length)]).join(' ');
const two = (number) => String(number).padStart(2, '0');
const time = () => `2026-05-${two(1 + below(28))}T${two(below(24))}:${two(below(60))}:${two(below(60))}Z`;

/** The kinds: how many pieces are joined, by what, between what. */
const KINDS = {
  records: [
    ',',
    (at) => JSON.stringify({ id: at, title: some(4), state: below(9) ? 'open' : 'closed', amount: below(9e5) / 100, at: time() }),
    '[',
    ']',
  ],
  log: ['\n', () => `${time()} ${below(60) ? 'INFO' : 'ERROR'} [worker-${below(9)}] ${some(5)} took=${below(900)}ms`, '', '\n'],
  prose: ['\n\n', () => `${some(14)}. ${some(22)}, ${some(9)}.`, '# Handbook\n\n', '\n'],
  xml: ['\n', (at) => `<book id="b${at}"><title>${some(3)}</title><price>${below(90)}.50</price></book>`, '<catalog>\n', '\n</catalog>\n'],
};

if (!command) fail('there is no command under npm/: run `make build` first');
if (spawnSync('valgrind', ['--version']).error) {
  console.log('instructions: no valgrind here, so nothing is counted');
  process.exit(0);
}

const folder = mkdtempSync(join(tmpdir(), 'snugfit-instructions-'));
try {
  const counted = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, count(kind)]));
  if (process.argv.includes('--write')) {
    writeFileSync(known, `${JSON.stringify({ ground: ground(), ...counted }, null, 2)}\n`);
    console.log(`instructions: written to bench/instructions.json`);
  } else {
    const { ground: was, ...before } = JSON.parse(readFileSync(known, 'utf8'));
    if (was === ground()) compare(counted, before);
    else console.log(`instructions: counted with ${was}, and this is ${ground()}: nothing to compare`);
  }
} finally {
  rmSync(folder, { recursive: true });
}

/** What the same source may count differently with: the compiler, and whether there are wide vector instructions. */
function ground() {
  const { stdout } = spawnSync('rustc', ['--version'], { encoding: 'utf8' });
  const wide = existsSync('/proc/cpuinfo') && /\bavx2\b/.test(readFileSync('/proc/cpuinfo', 'utf8'));
  return `${stdout?.split(' ').slice(0, 2).join(' ') ?? 'no rustc'}, ${process.arch}${wide ? ' with AVX2' : ''}`;
}

function compare(counted, before) {
  let slower = false;
  for (const [kind, now] of Object.entries(counted)) {
    const ratio = now / before[kind];
    slower ||= !(ratio <= MOST);
    console.log(`instructions: ${kind.padEnd(8)} ${(now / 1e6).toFixed(1).padStart(7)} million, ${ratio.toFixed(3)} of what was`);
  }
  if (slower) fail(`more than ${MOST} of what was: mend it, or run \`node scripts/count-instructions.mjs --write\` and say why`);
}

/** What fitting a kind takes. */
function count(kind) {
  const file = join(folder, kind);
  writeFileSync(file, make(kind));
  const options = ['--tool=callgrind', `--callgrind-out-file=${join(folder, 'counts')}`];
  const { status, stderr } = spawnSync('valgrind', [...options, command, 'fit', '--max-chars', '20000', file], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  const collected = /Collected : (\d+)/.exec(stderr)?.[1];
  if (status !== 0 || !collected) fail(`valgrind could not run the command on ${kind}:\n${stderr}`);
  return Number(collected);
}

function make(kind) {
  const [between, piece, open, close] = KINDS[kind];
  seed = 1;
  const pieces = [];
  for (let size = 0; size < BYTES; size += pieces.at(-1).length + between.length) pieces.push(piece(pieces.length));
  return open + pieces.join(between) + close;
}

function fail(message) {
  console.error(`instructions: ${message}`);
  process.exit(1);
}
