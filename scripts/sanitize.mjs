// The addon under AddressSanitizer: strings of every form in and out (soak/strings.mjs). The unsafe code of the project is in the addon alone.
// Linux with gcc, whose library of the sanitizer is loaded before Node; elsewhere nothing is checked, and it says so.
//
//   node scripts/sanitize.mjs      (after a build of the TypeScript)
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const library = spawnSync('gcc', ['-print-file-name=libasan.so'], { encoding: 'utf8' }).stdout?.trim() ?? '';
if (process.platform !== 'linux' || !library.startsWith('/')) {
  console.log('sanitize: no library of AddressSanitizer here, so nothing is checked');
  process.exit(0);
}

const addon = join(root, 'target/snugfit.sanitized.node');
// As scripts/fuzz.mjs builds: the check of addresses is not stable yet, and the crates of others need none. A folder of its own, since flags differ.
run(['scripts/build-native.mjs', '--profile', 'dev', '--out', addon], {
  RUSTC_BOOTSTRAP: '1',
  RUSTC_WRAPPER: join(root, 'crates/fuzz/rustc.sh'),
  SNUGFIT_FUZZ_FLAGS: '-Zsanitizer=address',
  CARGO_TARGET_DIR: join(root, 'target/sanitize'),
});
// Node keeps memory until it ends; that is no leak of ours, and growth is what the soaks measure.
run(['--expose-gc', 'soak/strings.mjs'], { SNUGFIT_NATIVE: addon, LD_PRELOAD: library, ASAN_OPTIONS: 'detect_leaks=0' });
console.log('sanitize: no finding');

function run(args, environment) {
  const { status, signal, error } = spawnSync(process.execPath, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  if (status === 0) return;
  console.error(`\`node ${args.join(' ')}\` failed: ${error?.message ?? signal ?? `exit code ${status}`}`);
  process.exit(1);
}
