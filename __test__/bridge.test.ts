import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type BridgeOptions, type ExecutableToolBridge, createExecutableToolBridge } from '../host/index.ts';
import { MISTAKEN, REFUSED, type Request, send as ask } from './support/bridge.ts';
import { charsOf, idOf } from './support/notice.ts';
import { log } from './support/samples.ts';
import { isTaken, run } from './support/shell.ts';

let bridge: ExecutableToolBridge | undefined;
let calls = 0;
let aborted = 0;
afterEach(async () => {
  await bridge?.close();
  bridge = undefined;
  calls = aborted = 0;
});

const tools = {
  echo: { inputSchema: {}, execute: async (input: unknown): Promise<unknown> => (calls++, input) },
  log: { inputSchema: {}, execute: async () => ({ content: [{ type: 'text', text: log(300) }] }) },
  fail: { inputSchema: {}, execute: async () => ({ content: [{ type: 'text', text: 'out of stock' }], isError: true }) },
  image: { inputSchema: {}, execute: async () => ({ content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] }) },
  structured: { inputSchema: {}, execute: async () => ({ content: [], structuredContent: { a: 1 } }) },
  nothing: { inputSchema: {}, execute: async () => undefined },
  wait: {
    inputSchema: {},
    execute: (_: unknown, { abortSignal }: { abortSignal: AbortSignal }) =>
      new Promise((resolve) => {
        calls++;
        abortSignal.addEventListener('abort', () => {
          aborted++;
          resolve('aborted');
        });
      }),
  },
  slow: { inputSchema: {}, execute: async () => (await delay(300), 'done') },
};

const open = async (options: Partial<BridgeOptions> = {}) =>
  (bridge = await createExecutableToolBridge(tools, { serverName: 'shop', ...options }));

const send = (path: string, options?: Request) => ask({ url: bridge?.bridgeUrl ?? '', token: bridge?.token ?? '' }, path, options);

const exec = async (tool: string, input: unknown = {}) => {
  const { status, body } = await send('/exec', { body: JSON.stringify({ tool, input }) });
  return { status, ...(JSON.parse(body) as { result?: string; error?: string; code?: string }) };
};

describe('POST /exec', () => {
  it('gives every kind of result as a text', async () => {
    await open();
    expect(await exec('echo', { a: 'ü' })).toEqual({ status: 200, result: '{"a":"ü"}' });
    expect(await exec('log')).toEqual({ status: 200, result: log(300) });
    expect(await exec('structured')).toEqual({ status: 200, result: '{"a":1}' });
    expect(await exec('nothing')).toEqual({ status: 200, result: '' });
    expect(JSON.parse((await exec('image')).result!)).toHaveProperty(['content', 0, 'data'], 'AAAA');
  });

  it('gives what went wrong as an error', async () => {
    await open();
    expect(await exec('fail')).toEqual({ status: 500, error: 'out of stock' });
  });

  it.each(MISTAKEN)('answers %s', async (_, path, options, status, said) => {
    await open();
    const answer = await send(path, options);
    expect(answer).toMatchObject({ status, body: expect.stringContaining(said) as string });
    expect(calls).toBe(0);
  });

  it('fits results and recovers originals', async () => {
    await open({ shrinkfit: 2000 });
    const { result = '' } = await exec('log');
    expect(charsOf(result)).toBeLessThanOrEqual(2000);
    const original = await exec('compressor_recover_response', { response_id: idOf(result) });
    expect(JSON.parse(original.result!)).toEqual({ content: [{ type: 'text', text: log(300) }] });
  });

  it('aborts a call whose client goes away', async () => {
    await open();
    const socket = connect(Number(new URL(bridge!.bridgeUrl).port), '127.0.0.1');
    const body = '{"tool":"wait"}';
    socket.write(
      `POST /exec HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${bridge!.token}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await expect.poll(() => calls).toBe(1);
    socket.destroy();
    await expect.poll(() => aborted).toBe(1);
  });
});

describe('who is not let in', () => {
  it.each(REFUSED)('%s gets %i, and no call is answered', async (_, status, options) => {
    await open();
    const { token } = bridge!;
    for (const path of ['/exec', '/cli']) {
      const answer = await send(path, { body: path === '/exec' ? '{"tool":"echo"}' : 'arg=echo', ...options });
      expect(answer.status).toBe(status);
      expect(answer.body).not.toContain(token);
    }
    expect(calls).toBe(0);
  });

  it('everybody may ask for its health, from loopback', async () => {
    await open();
    expect(await send('/health', { method: 'GET', token: '' })).toEqual({ status: 200, body: '{"ok":true}' });
    expect((await send('/health', { method: 'GET', headers: { host: 'evil.example' } })).status).toBe(403);
  });
});

describe('under abuse', () => {
  it('does not take in a body of 100 MB', async () => {
    await open();
    const body = Buffer.alloc(100 * 2 ** 20, 'x');
    const before = process.memoryUsage().arrayBuffers;
    const error = `nothing was run: the request has ${body.length} bytes, and the bridge takes 67108864 (limits.bodyBytes); send less at a time`;
    const refusal = { status: 413, body: JSON.stringify({ error, code: 'REQUEST_TOO_LARGE' }) };
    expect(await send('/exec', { body })).toEqual(refusal);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 2 ** 20);
    expect(await send('/exec', { body, headers: { 'transfer-encoding': 'chunked' } })).toEqual(refusal);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(128 * 2 ** 20);
    expect((await exec('echo')).status).toBe(200);
  });

  it('does not hand out more than it may', async () => {
    await open({ limits: { answerBytes: 1000 } });
    const error =
      /^the tool has run, but its answer has \d{5} bytes, and the bridge gives 1000 \(limits.answerBytes\); ask for less at a time$/;
    expect(await exec('log')).toMatchObject({ status: 500, code: 'ANSWER_TOO_LARGE', error: expect.stringMatching(error) as string });
  });

  it('drops clients that are slow or half open, and answers others meanwhile', async () => {
    await open({ limits: { clientMs: 200 } });
    const port = Number(new URL(bridge!.bridgeUrl).port);
    const starts = [
      '',
      'POST /exec HTTP/1.1\r\nHost: 127.0.0.1\r\n',
      `POST /exec HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${bridge!.token}\r\nContent-Length: 50\r\n\r\n{"to`,
    ];
    const ended = starts.map(
      (start) =>
        new Promise<void>((resolve) => {
          const socket = connect(port, '127.0.0.1', () => socket.write(start));
          const drip = setInterval(() => socket.write(start === '' ? '' : 'x'), 50);
          socket.on('error', () => undefined);
          socket.on('close', () => {
            clearInterval(drip);
            resolve();
          });
          socket.resume();
        }),
    );
    expect((await exec('echo')).status).toBe(200);
    await Promise.all(ended.slice(1));
    await bridge!.close();
    await ended[0];
    expect(calls).toBe(1);
  });

  it('answers 500 calls at once, each with its own', async () => {
    await open();
    const answers = await Promise.all(Array.from({ length: 500 }, (_, n) => exec('echo', { n })));
    expect(answers.map(({ result }) => (JSON.parse(result!) as { n: number }).n)).toEqual(Array.from({ length: 500 }, (_, n) => n));
    expect(calls).toBe(500);
  });

  it('lets a running call finish when it closes, and takes no new one', async () => {
    await open();
    const running = exec('slow');
    await delay(50);
    const closing = bridge!.close();
    await expect(exec('echo')).rejects.toThrow();
    expect(await running).toEqual({ status: 200, result: 'done' });
    await closing;
    expect(await isTaken(bridge!.bridgeUrl)).toBe(false);
  });

  it('ends a call that does not finish', async () => {
    await open({ limits: { closeMs: 100 } });
    const running = exec('wait').catch((error: unknown) => error);
    await expect.poll(() => calls).toBe(1);
    await bridge!.close();
    expect(await running).toBeInstanceOf(Error);
    expect(aborted).toBe(1);
  });

  it('does not keep the process alive', async () => {
    const program = `import { createExecutableToolBridge } from ${JSON.stringify(new URL('../dist/index.js', import.meta.url).href)};
      const bridge = await createExecutableToolBridge({ a: { execute: () => 1 } }, { serverName: 'x' });
      console.log(typeof bridge.bridgeUrl);`;
    expect(await run(process.execPath, ['--input-type=module', '-e', program])).toEqual({ stdout: 'string\n', stderr: '', exitCode: 0 });
  });
});
