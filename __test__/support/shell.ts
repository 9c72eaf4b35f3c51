import { spawn } from 'node:child_process';
import { mkdtemp, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** What a program printed and how it ended. */
export interface Ran {
  stdout: string;
  stderr: string;
  exitCode: number;
}

/** Runs a program to its end. */
export function run(
  program: string,
  args: readonly string[],
  options: { env?: NodeJS.ProcessEnv; stdin?: string | undefined } = {},
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env: options.env ?? process.env, stdio: 'pipe' });
    const parts = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    child.stdout.on('data', (part: Buffer) => parts.stdout.push(part));
    child.stderr.on('data', (part: Buffer) => parts.stderr.push(part));
    child.on('error', reject);
    child.on('close', (code) =>
      resolve({ stdout: Buffer.concat(parts.stdout).toString(), stderr: Buffer.concat(parts.stderr).toString(), exitCode: code ?? -1 }),
    );
    // A program that does not read its stdin may end first.
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.stdin ?? '');
  });
}

/** A folder that has one program in it, to be the whole PATH; `undefined` where the program is not installed. */
export async function onlyOnPath(program: string): Promise<string | undefined> {
  const places = (process.env.PATH ?? '').split(delimiter);
  for (const place of places) {
    const found = await run('/bin/sh', ['-c', 'test -x "$0" && exec readlink -f "$0"', join(place, program)]);
    if (found.exitCode !== 0) continue;
    const folder = await temporaryFolder();
    await symlink(program === 'node' ? process.execPath : join(place, program), join(folder, program));
    return folder;
  }
  return undefined;
}

/** A new folder in the system's temporary one. */
export function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'snugfit-test-'));
}

/** Whether somebody listens on a port of loopback: whether it cannot be taken. */
export function isTaken(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
      .once('error', () => resolve(true))
      .once('listening', () => server.close(() => resolve(false)))
      .listen(Number(new URL(url).port), '127.0.0.1');
  });
}
