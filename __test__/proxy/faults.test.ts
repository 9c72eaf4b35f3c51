import { type CallToolResult, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BINARY, LAUNCHER, connect, isAlive, open, scripted, several, textOf, until } from './support.ts';

describe('faults of a server', () => {
  test('killed in mid-call: the call fails, the next ones work', async () => {
    const { call, said } = await connect(['--', ...scripted()]);
    await call('echo');
    const hanging = call('hang');
    const failed = expect(hanging).rejects.toThrow(/cannot be reached: it ended with signal: 9/);
    process.kill(Number(/pid (\d+)/.exec(said())![1]), 'SIGKILL');
    await failed;
    await until(() => said().match(/\[scripted\] pid/g)!.length === 2);
    expect(textOf(await call('echo', { a: 1 }))).toBe('{"a":1}');
  });

  test('half a message, then gone', async () => {
    const { call } = await connect(['--', ...scripted()]);
    await expect(call('half')).rejects.toThrow(/it ended with exit status: 4/);
  });

  test('hanging: the call ends with its time, and is cancelled', async () => {
    const { call } = await connect(several({ a: { command: scripted(), callTimeout: '300ms' } }));
    await expect(call('hang')).rejects.toThrow(/did not answer within 0.3 s.*do not blindly repeat/);
    expect(JSON.parse(textOf(await call('cancelled')))).toHaveLength(1);
    // Progress is a sign of life.
    const { client } = await connect(several({ a: { command: scripted(), callTimeout: '300ms' } }));
    const done = await client.callTool({ name: 'progress', arguments: { steps: 30 } }, undefined, { onprogress: () => undefined });
    expect(done.content).toEqual([{ type: 'text', text: 'done' }]);
  });

  test('noise between messages, two answers to one request, bytes that are no UTF-8', async () => {
    const { call, said } = await connect(['--', ...scripted()]);
    expect(textOf(await call('noise'))).toBe('after the noise');
    expect(textOf(await call('twice'))).toBe('first');
    expect(textOf(await call('invalid-utf8'))).toBe('\ufffdA\ufffd');
    expect(said()).toContain('what is no message of MCP');
    expect(textOf(await call('echo'))).toBe('{}');
  });

  test('lone surrogates: in a preview none is left', async () => {
    const { call } = await connect(['--max-chars', '2000', '--', ...scripted()]);
    const text = textOf(await call('big-surrogate'));
    expect(text.length).toBeLessThanOrEqual(2000);
    expect(text).not.toMatch(/\p{Surrogate}/u);
  });

  test('100 MB on one line: a preview, while others do not wait', { timeout: 120_000 }, async () => {
    const { client, call } = await connect(['--max-chars', '4000', '--', ...scripted()]);
    await call('echo');
    const huge = client.callTool({ name: 'huge', arguments: { mb: 100 } }, undefined, { timeout: 110_000 });
    expect(textOf(await call('echo', { a: 1 }))).toBe('{"a":1}');
    expect(textOf((await huge) as CallToolResult).length).toBeLessThanOrEqual(4000);
  });

  test('a message above the limit costs that call alone, at once', async () => {
    const { call } = await connect(several({ a: scripted() }, { limits: { messageBytes: '1MiB' } }));
    await expect(call('huge', { mb: 2 })).rejects.toThrow(/larger than 1MiB \(limits\.messageBytes\).*do not blindly repeat/);
    expect(textOf(await call('echo'))).toBe('{}');
  });

  test('a server that gives no list is waited for once', async () => {
    const { client, said } = await connect(several({ good: scripted(), mute: scripted('--no-list') }, { limits: { listTimeout: '2s' } }));
    for (let n = 0; n < 5; n++) {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain('good__echo');
    }
    expect(said().match(/mute: tools\/list is left out/g)).toHaveLength(1);
  });

  test('a server that gave no list is asked again in the background, and the client is told', async () => {
    const { client, said } = await connect(['--', ...scripted('--late-list')]);
    let told = false;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (told = true));
    const names = async () => (await client.listTools()).tools.map(({ name }) => name);
    expect(await names()).not.toContain('echo');
    await until(() => said().includes('tools/list is left out: not yet'));
    // Asking is what has the server asked again, once it may be.
    await expect.poll(async () => (await names(), told), { timeout: 15_000, interval: 250 }).toBe(true);
    expect(await names()).toContain('echo');
  });

  test('no more calls run than may, whether their answers are read or not', async () => {
    const limits = { callsPerSession: 3 };
    const { call } = await connect(several({ a: scripted() }, { limits }));
    const answers = await Promise.all(Array.from({ length: 12 }, () => call('counted')));
    expect(Math.max(...answers.map((answer) => parseInt(textOf(answer))))).toBe(3);

    const silent = open(several({ a: scripted() }, { limits, results: { mode: 'off' } }));
    await silent.initialize();
    silent.child.stdout.pause();
    for (let id = 1; id <= 300; id++) silent.send({ id, method: 'tools/call', params: { name: 'counted', arguments: { ms: 0 } } });
    const begun = () => silent.said().match(/begun/g)?.length ?? 0;
    // Until nothing more begins.
    for (let before = -1; before !== begun();) {
      before = begun();
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    expect(begun()).toBeLessThan(100);
    silent.child.stdout.resume();
    await silent.line((line) => line.includes('"id":300,'));
  });

  test('requests of one id are each answered', async () => {
    const proxy = open(['--', ...scripted()]);
    await proxy.initialize();
    for (let n = 0; n < 3; n++) proxy.send({ id: 5, method: 'tools/call', params: { name: 'slow', arguments: { ms: 50 + n } } });
    await until(() => proxy.lines.filter((line) => line.includes('"id":5')).length === 3);
  });
});

describe.skipIf(process.platform === 'win32')('nothing is left behind', () => {
  const pids = (said: string) => [...said.matchAll(/(?:pid|grandchild) (\d+)/g)].map(([, pid]) => Number(pid));

  async function started(command: [string, ...string[]], options: string[]) {
    const proxy = open(['--', ...scripted('--grandchild', ...options)], command);
    await proxy.initialize();
    await until(() => pids(proxy.said()).length === 2);
    return { proxy, left: pids(proxy.said()) };
  }

  test.each([
    ['its input ends', [], (child: { stdin: { end(): void } }) => child.stdin.end()],
    ['its input ends, with a server that does not', ['--stubborn'], (child: { stdin: { end(): void } }) => child.stdin.end()],
    ['SIGTERM comes', ['--stubborn'], (child: { kill(signal: string): void }) => child.kill('SIGTERM')],
  ] as const)('when %s', async (_, options, end) => {
    const { proxy, left } = await started([BINARY, 'proxy'], [...options]);
    end(proxy.child as never);
    expect(await proxy.ended).toEqual([0, null]);
    await until(() => !left.some(isAlive), 'the end of the server');
  });

  test('when it is killed', async () => {
    const { proxy, left } = await started([BINARY, 'proxy'], ['--stubborn']);
    proxy.child.kill('SIGKILL');
    await until(() => !left.some(isAlive), 'the end of the server');
  });

  test('when the client goes in mid-call', async () => {
    const { proxy, left } = await started([BINARY, 'proxy'], []);
    proxy.send({ id: 1, method: 'tools/call', params: { name: 'hang' } });
    proxy.child.stdout.destroy();
    proxy.child.stdin.end();
    proxy.child.kill('SIGTERM');
    await proxy.ended;
    await until(() => !left.some(isAlive), 'the end of the server');
  });

  test('through the npm package', async () => {
    const { proxy, left } = await started([process.execPath, LAUNCHER, 'proxy'], ['--stubborn']);
    expect(await proxy.call(1, 'echo', { a: 1 })).toContain('{\\"a\\":1}');
    proxy.child.kill('SIGTERM');
    expect(await proxy.ended).toEqual([0, null]);
    await until(() => !left.some(isAlive), 'the end of the server');
  });
});

test.skipIf(!existsSync('/dev/full'))('an output that takes nothing ends it, and it says so', async () => {
  const output = openSync('/dev/full', 'w');
  const child = spawn(BINARY, ['proxy', '--', ...scripted()], { stdio: ['pipe', output, 'pipe'] });
  closeSync(output);
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stderr!.on('data', (chunk: Buffer) => (said += String(chunk)));
  child.stdin!.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  expect(await once(child, 'close')).toEqual([1, null]);
  expect(said).toContain('error: standard output: No space left on device');
});

test('what was asked before the input ended is answered', async () => {
  const proxy = open(['--', ...scripted()]);
  await proxy.initialize();
  proxy.send({ id: 1, method: 'tools/call', params: { name: 'slow', arguments: { ms: 200 } } });
  proxy.child.stdin.end();
  expect(await proxy.line((line) => line.includes('"id":1'))).toContain('slept 200');
  expect(await proxy.ended).toEqual([0, null]);
});

test.each([
  [['--', 'https://example.org/mcp', 'more'], 'a URL stands alone'],
  [['--max-chars', '100', '--', 'x'], 'at least 350'],
  [['--shrinkfit=100', '--', 'x'], 'at least 1024'],
  [['--shrinkfit', '10000', '--', 'x'], 'as in --shrinkfit=10000'],
  [['--shrinkfit', '--max-chars', '400', '--', 'x'], 'cannot be used with'],
  [['--just-bash', '--', 'x'], 'transformToolsForJustBash'],
  [['--include', 'a[', '--', 'x'], 'a['],
  [['--config', '{}'], 'there is no server'],
  [['--header', 'X: y', '--', 'x'], 'behind a URL'],
  [['--server-name', '', '--', 'x'], 'must not be empty'],
  [['--server-name', 'a.b', '--', 'x'], 'has no `.`'],
  [['--server-name', '\u001b[31m', '--', 'x'], 'no control characters'],
  [['--mode', 'page', '--cursor-param', '', '--', 'x'], 'a value is required'],
])('%j is a mistake: %s', async (args, said) => {
  const proxy = open(args);
  expect(await proxy.ended).toEqual([2, null]);
  expect(proxy.said()).toContain(said);
});
