import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { platformName } from '../../bin/platform.js';

const path = (file: string) => fileURLToPath(new URL(file, import.meta.url));

export const BINARY = path(`../../npm/${platformName()}/bin/snugfit${process.platform === 'win32' ? '.exe' : ''}`);
export const LAUNCHER = path('../../bin/snugfit.js');

/** The command of a scripted server. */
export function scripted(...options: string[]): string[] {
  return [process.execPath, path('scripted-server.mjs'), ...options];
}

/** The command of an official server. */
export function official(name: string, ...args: string[]): string[] {
  return [process.execPath, path(`../../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`), ...args];
}

/** Arguments of a proxy in front of several servers, and what else the configuration says. */
export function several(servers: Record<string, string[] | object>, rest: object = {}): string[] {
  const entries = Object.entries(servers).map(([name, server]) => [name, Array.isArray(server) ? { command: server } : server]);
  return ['--config', JSON.stringify({ servers: Object.fromEntries(entries) as object, ...rest })];
}

/** A proxy that runs, and what it says on stderr. */
export interface Running {
  child: ChildProcess;
  said: () => string;
}

/** An MCP client of the official SDK in front of a proxy. */
export async function connect(args: string[], { client = new Client({ name: 'test', version: '1.0.0' }), env = {} } = {}) {
  const transport = new StdioClientTransport({
    command: BINARY,
    args: ['proxy', ...args],
    stderr: 'pipe',
    env: { PATH: process.env.PATH!, ...env },
  });
  let said = '';
  transport.stderr!.on('data', (chunk: Buffer) => (said += String(chunk)));
  onTestFinished(() => client.close());
  await client.connect(transport);
  const call = async (name: string, args: object = {}) =>
    (await client.callTool({ name, arguments: args as Record<string, unknown> })) as CallToolResult;
  return { client, call, said: () => said, pid: transport.pid! };
}

/** The proxy as a process, spoken to line by line. */
export function open(args: string[], command: [string, ...string[]] = [BINARY, 'proxy']) {
  const child = spawn(command[0], [...command.slice(1), ...args]);
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += String(chunk)));
  child.stdin.on('error', () => undefined);
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    for (const look of waiting) look();
  });
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;

  /** The first line that holds, now or later. */
  function line(holds: (line: string) => boolean): Promise<string> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = lines.find(holds);
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      void ended.then(() => reject(new Error(`the proxy ended; it said: ${said}`)));
      look();
    });
  }
  const write = (text: string) => void child.stdin.write(`${text}\n`);
  const send = (message: object) => write(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const request = (id: number | string, method: string, params: object = {}) => {
    send({ id, method, params });
    return line((text) => text.includes(`"id":${JSON.stringify(id)}`) && !text.includes('"method"'));
  };
  return {
    child,
    lines,
    line,
    write,
    send,
    request,
    ended,
    said: () => said,
    initialize: async (protocolVersion = '2025-11-25', more: object = {}) => {
      const answer = await request(0, 'initialize', {
        protocolVersion,
        capabilities: {},
        clientInfo: { name: 'raw', version: '1' },
        ...more,
      });
      send({ method: 'notifications/initialized' });
      return JSON.parse(answer) as { result: Record<string, unknown>; error?: { message: string } };
    },
    call: (id: number | string, name: string, args: object = {}, more: object = {}) =>
      request(id, 'tools/call', { name, arguments: args, ...more }),
  };
}

/** The text of a result's only, or first, text block. */
export function textOf(result: CallToolResult): string {
  const block = result.content.find(({ type }) => type === 'text');
  if (block?.type !== 'text') throw new Error('no text');
  return block.text;
}

/** Waits until something holds. */
export async function until(holds: () => boolean, what = 'what was waited for'): Promise<void> {
  for (let n = 0; n < 400; n++) {
    if (holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`${what} did not come`);
}

/** Whether a process runs: one that has ended and that nobody has waited for does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z');
  } catch {
    return false;
  }
}
