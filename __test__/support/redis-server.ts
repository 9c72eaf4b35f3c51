import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createClient } from 'redis';

/** Why there is no server to test with; `undefined` where there is one. */
export const missing = ['redis-server', 'valkey-server'].every((name) => command(name) === undefined)
  ? 'redis-server is not installed'
  : undefined;

/** A server of our own on a free port of the loopback interface, which keeps everything in memory. */
export class RedisServer {
  readonly port: number;
  readonly #options: string[];
  #process: ChildProcess | undefined;

  private constructor(port: number, options: string[]) {
    this.port = port;
    this.#options = options;
  }

  /** A server with more options of the command line. */
  static async start(...options: string[]): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), options);
    await server.restart();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts the process, and waits until it answers. */
  async restart(): Promise<void> {
    const name = command('redis-server') ?? command('valkey-server') ?? '';
    const options = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', ...this.#options];
    this.#process = spawn(name, options, { stdio: 'ignore' });
    await this.ask('PING');
  }

  /** Sends one command on a connection of its own. */
  async ask(...args: string[]): Promise<unknown> {
    const client = createClient({ url: this.url });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await client.sendCommand(args);
    } finally {
      await client.close();
    }
  }

  /** Ends the process as a crash would. */
  async kill(): Promise<void> {
    const ended = this.#process;
    this.#process = undefined;
    if (ended === undefined) return;
    const exit = once(ended, 'exit');
    ended.kill('SIGKILL');
    await exit;
  }

  /** Holds the process still: it keeps its connections, and answers nothing. */
  freeze(): void {
    this.#process?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#process?.kill('SIGCONT');
  }
}

function command(name: string): string | undefined {
  return spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0 ? name : undefined;
}

/** A port of the loopback interface that nobody listens on. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, 'close');
  return port;
}
