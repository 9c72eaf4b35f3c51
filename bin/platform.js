import { closeSync, openSync, readSync } from 'node:fs';

/**
 * The platform's name as the folders of `npm/` and the packages `@snugfit/<platform>` spell it, such as `linux-x64-gnu`. Plain JavaScript,
 * since the launcher beside it uses it as it is and `host/native.ts` has it bundled.
 *
 * @returns {string}
 */
export function platformName() {
  const { platform, arch } = process;
  if (platform === 'linux') return `linux-${arch}-${runsOnMusl() ? 'musl' : 'gnu'}`;
  return platform === 'win32' ? `win32-${arch}-msvc` : `${platform}-${arch}`;
}

/** The loader that the running Node names in its ELF header; `process.report` knows too, but takes milliseconds. */
function runsOnMusl() {
  const head = Buffer.alloc(4096);
  try {
    const file = openSync(process.execPath, 'r');
    try {
      return head.toString('latin1', 0, readSync(file, head, 0, head.length, 0)).includes('/ld-musl-');
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
}
