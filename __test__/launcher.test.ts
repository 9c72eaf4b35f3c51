import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const launcher = fileURLToPath(new URL('../bin/snugfit.js', import.meta.url));

/** Runs the launcher with `input` and gives back everything a caller sees. */
async function snugfit(args: string[], input = '', file = launcher) {
  const child = spawn(process.execPath, [file, ...args]);
  // A usage error ends the program before it reads.
  child.stdin.on('error', () => undefined).end(input);
  const [stdout, stderr, [code, signal]] = await Promise.all([text(child.stdout), text(child.stderr), ended(child)]);
  return { stdout, stderr, code, signal };
}

async function ended(child: ChildProcess) {
  return (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
}

describe('bin/snugfit.js', () => {
  test('hands over arguments and both streams', async () => {
    const { stdout, stderr, code } = await snugfit(['fit', '--tool', '', '--arguments', '{}', '--report', '-'], '{"a": "é"}\n');
    expect({ stdout, code }).toEqual({ stdout: '{"a": "é"}\n', code: 0 });
    expect(JSON.parse(stderr)).toMatchObject({ input_chars: 11, complete: true });
  });

  test.each([
    { args: ['--version'], expected: 0 },
    { args: ['fit', 'no/such/file'], expected: 1 },
    { args: ['fit', '--max-chars', '0'], expected: 2 },
  ])('ends with the exit code $expected of the binary for $args', async ({ args, expected }) => {
    expect(await snugfit(args)).toMatchObject({ code: expected, signal: null });
  });

  test.skipIf(process.platform === 'win32').each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'passes %s on and ends by it',
    async (signal) => {
      const child = spawn(process.execPath, [launcher, 'fit', '--report']);
      // More than a pipe holds: once all of it is taken, the binary runs and waits for more.
      await new Promise<void>((resolve, reject) => child.stdin.on('error', reject).write('x'.repeat(1 << 20), () => resolve()));
      const end = ended(child);
      child.kill(signal);
      // `close` comes when the binary has let go of the streams as well: nobody is left behind.
      expect(await end).toEqual([null, signal]);
    },
  );

  test('says how to build the binary where there is none', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'snugfit-launcher-'));
    try {
      await cp(join(launcher, '..'), join(folder, 'bin'), { recursive: true });
      await writeFile(join(folder, 'package.json'), '{"type":"module"}');
      const { stdout, stderr, code } = await snugfit(['fit'], '', join(folder, 'bin', 'snugfit.js'));
      expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
      expect(stderr).toMatch(/^snugfit: no binary for .+`make build`/s);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
