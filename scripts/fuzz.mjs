// Runs each fuzz target of crates/fuzz for a while, guided by coverage and watched by AddressSanitizer, on the stable compiler: only the check of
// addresses is not stable yet, so RUSTC_BOOTSTRAP lets it through. `cargo +nightly fuzz run TARGET` does the same for one target.
//
//   node scripts/fuzz.mjs [--seconds 120] [TARGET…]
//
// Inputs that found new ways through the code are kept in crates/fuzz/corpus, those that failed in crates/fuzz/artifacts. Prints a table; exits with 1
// where a target found something.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({ options: { seconds: { type: 'string', default: '120' } }, allowPositionals: true });
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'crates/fuzz');
const about = (where) => JSON.parse(run('cargo', ['metadata', '--format-version', '1', '--no-deps'], { cwd: where }).stdout);
const known = about(folder).packages[0].targets;
const asked = positionals.length > 0 ? positionals : known.map(({ name }) => name);
const targets = asked.map((name) => known.find((target) => target.name === name) ?? fail(`there is no fuzz target ${name}`));

/** What cargo-fuzz builds with. */
const flags = [
  '--cfg fuzzing -Zsanitizer=address -Cpasses=sancov-module',
  ...['level=4', 'inline-8bit-counters', 'pc-table', 'trace-compares'].map((what) => `-Cllvm-args=-sanitizer-coverage-${what}`),
];
// A folder of its own: the same crates are built with other flags.
const built = join(about(root).target_directory, 'fuzz');
const environment = {
  RUSTC_BOOTSTRAP: '1',
  RUSTC_WRAPPER: join(folder, 'rustc.sh'),
  SNUGFIT_FUZZ_FLAGS: flags.join(' '),
  CARGO_TARGET_DIR: built,
};
const features = targets.flatMap((target) => target['required-features'] ?? []).join(',');
const cargo = ['build', '--locked', '--no-default-features', '--features', features, ...targets.flatMap(({ name }) => ['--bin', name])];
if (run('cargo', cargo, { env: environment, stdio: 'inherit' }).status !== 0) fail('the fuzz targets cannot be built');

console.log('| target | executions | seconds | edges reached | findings |\n| --- | ---: | ---: | ---: | --- |');
for (const { name: target } of targets) {
  const [corpus, artifacts] = [join(folder, 'corpus', target), join(folder, 'artifacts', target)];
  for (const each of [corpus, artifacts]) mkdirSync(each, { recursive: true });
  const options = { max_total_time: values.seconds, max_len: 8192, timeout: 60, rss_limit_mb: 4096, print_final_stats: 1 };
  const { status, stderr } = run(join(built, 'debug', target), [
    ...Object.entries(options).map(([name, value]) => `-${name}=${value}`),
    `-artifact_prefix=${artifacts}/`,
    corpus,
    join(root, 'crates/engine/tests/fixtures'),
  ]);
  const last = (pattern) => [...stderr.matchAll(pattern)].at(-1)?.[1] ?? '?';
  const executions = Number(last(/number_of_executed_units:\s*(\d+)/g)).toLocaleString('en');
  const finding = status === 0 ? 'none' : last(/Test unit written to (\S+)/g);
  console.log(`| \`${target}\` | ${executions} | ${last(/ (\d+) second\(s\)/g)} | ${last(/cov: (\d+)/g)} | ${finding} |`);
  if (status !== 0) {
    process.exitCode = 1;
    console.error(stderr.slice(-6000));
  }
}

function run(program, args, { env, ...options } = {}) {
  const done = spawnSync(program, args, { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 30, env: { ...process.env, ...env }, ...options });
  if (done.error) fail(`${program} could not be started: ${done.error.message}`);
  return done;
}

function fail(why) {
  console.error(why);
  process.exit(1);
}
