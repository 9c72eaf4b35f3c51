// All benches, one after the other, into bench/RESULTS.md with the machine named: `npm run bench`. What they print is judged beside the baselines
// of the same run, never as absolute times.
//
//   node bench/run.mjs [NAME…]      only these, printed and not written
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const engine = (...more) => ['cargo', ['run', '--quiet', '--release', '-p', 'snugfit-bench', ...more]];
const host = (name) => [process.execPath, [fileURLToPath(new URL(`${name}.mjs`, import.meta.url))]];

/** The benches: their name, what they show, how they are run. */
const BENCHES = [
  ['engine', 'The engine beside its peers', engine('--bin', 'snugfit-bench')],
  ['memory', 'Memory at its peak', engine('--bin', 'memory')],
  ['hostile', 'Inputs made to be slow', engine('--bin', 'hostile')],
  ['originals', 'Parts of a large original', engine('--bin', 'recovery')],
  ['recovery', 'Whether what a preview names leads to what was cut', host('recovery')],
  ['load', 'Loading the addon', host('load')],
  ['blocking', 'The event loop of a host', host('blocking')],
  ['flood', 'A flood of large results', host('flood')],
  ['proxy', 'The proxy beside a direct connection', host('proxy')],
  ['launcher', 'Starting the command', host('launcher')],
  ['inspect', 'The page that reads traces, in a browser', host('inspect')],
];

const asked = process.argv.slice(2);
const sections = BENCHES.filter(([name]) => asked.length === 0 || asked.includes(name)).map(([name, title, [program, args]]) => {
  console.log(`== ${name}`);
  const { status, stdout } = spawnSync(program, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  process.stdout.write(stdout);
  if (status !== 0) process.exitCode = 1;
  const text = stdout.trim();
  return `## ${title}\n\n${text.includes('| --- |') ? text : `\`\`\`\n${text}\n\`\`\``}\n`;
});

if (asked.length === 0) {
  const rustc = spawnSync('rustc', ['--version'], { encoding: 'utf8' }).stdout.trim();
  const machine = `${cpus()[0].model.trim()}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB; ${process.platform} ${process.arch}; Node ${process.versions.node}; ${rustc}`;
  const head = `# Results of the benches\n\nWritten by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}.\n\nMachine: ${machine}.\n`;
  writeFileSync(new URL('RESULTS.md', import.meta.url), [head, ...sections].join('\n'));
}
