import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The short form of `make reliability`: the programs look after themselves, and print what they found. */
test.each([
  ['a host that fits one large result after another', ['soak/host.mjs', '--results', '1000']],
  ['a proxy whose servers die in the middle of calls', ['soak/proxy.mjs', '--seconds', '10']],
  ['the border of the addon that strings of every form cross', ['--expose-gc', 'soak/strings.mjs', '--rounds', '1']],
])('%s loses nothing, mixes nothing up and stays within its memory', { timeout: 300_000 }, async (_, args) => {
  const run = promisify(execFile)(process.execPath, args, { cwd: root }).catch(
    (error: unknown) => error as { stdout: string; stderr: string },
  );
  const { stdout, stderr } = await run;
  expect({ faults: (JSON.parse(stdout || '{}') as { faults?: string[] }).faults, stderr }).toEqual({ faults: [], stderr: '' });
});
