import { spawn } from 'node:child_process';
import { mkdtemp, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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

/** What tells where a program really is, behind the launchers of version managers. */
const WHERE: Record<string, string> = {
  curl: 'command -v curl',
  python3: "python3 -c 'import sys; print(sys.executable)'",
  node: 'node -p process.execPath',
};

/** A folder that has one program in it, to be the whole PATH; `undefined` where the program is not installed. */
export async function onlyOnPath(program: string): Promise<string | undefined> {
  const found = await run('/bin/sh', ['-c', WHERE[program] ?? '']);
  if (found.exitCode !== 0) return undefined;
  const folder = await temporaryFolder();
  await symlink(found.stdout.trim(), join(folder, program));
  return folder;
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
