import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { RECOVERY_TOOL as RECOVERY } from '../../host/recover.ts';
import { envelopeNotice } from '../support/notice.ts';
import { RedisServer, freePort, missing } from '../support/redis-server.ts';
import { listening, post } from './http-support.ts';
import { BINARY, open, scripted, several, textOf, until } from './support.ts';

const secret = 'a long random secret';

/** Calls a tool in a request of its own, as whoever has the token. */
async function call(url: string, name: string, args: object = {}, token?: string): Promise<CallToolResult> {
  const message = { id: 1, method: 'tools/call', params: { name, arguments: args } };
  const response = await post(url, message, token === undefined ? {} : { authorization: `Bearer ${token}` });
  return ((await response.json()) as { result: CallToolResult }).result;
}

const idOf = (result: CallToolResult) => envelopeNotice(result).response_id!;
/** When the tool ran whose result it is. */
const stampOf = (result: CallToolResult) => textOf(result).split(' ')[0];
const recover = (url: string, response_id: string, token?: string, rest: object = {}) =>
  call(url, RECOVERY, { response_id, ...rest }, token);

describe.skipIf(missing)(`replicas with one Redis${missing ? ` (skipped: ${missing})` : ''}`, () => {
  let redis: RedisServer;

  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  afterEach(async () => {
    await redis.ask('FLUSHALL');
  });
  afterAll(() => redis.kill());

  const replica = (settings: object = {}, more: object = {}, http: object = {}) =>
    listening(http, { store: { redis: { url: redis.url, secret, timeout: '500ms', ...settings } }, ...more });

  test('a preview of one is recovered by the other, whole and by part', async () => {
    const [one, two] = [await replica(), await replica()];
    const preview = await call(one.url, 'big');
    const id = idOf(preview);
    // A function of the result alone, whoever makes it.
    expect(await call(two.url, 'big')).toEqual(preview);
    const original = JSON.parse(textOf(await recover(two.url, id))) as CallToolResult;
    expect(JSON.parse(textOf(original))).toMatchObject({ total: 1000, records: { length: 1000 } });
    expect(textOf(await recover(two.url, id, undefined, { path: '/records/999/title' }))).toContain('Record 999');
  });

  test('a walk through pages goes from one to the other and back; the tool runs once', async () => {
    const results = { mode: 'page', budget: { chars: 4000 } };
    const both = [await replica({}, { results }), await replica({}, { results })];
    const seen: number[] = [];
    let cursor: string | undefined;
    for (let n = 0; n === 0 || cursor !== undefined; n++) {
      const text = textOf(await call(both[n % 2]!.url, 'big', { n: 60, ...(cursor !== undefined && { cursor }) }));
      const { records, page } = JSON.parse(text) as { records: { id: number }[]; page?: { next_cursor?: string } };
      seen.push(...records.map(({ id }) => id));
      cursor = page?.next_cursor;
    }
    expect(seen).toEqual(Array.from({ length: 60 }, (_, id) => id));
    const first = textOf(await call(both[0]!.url, 'counted'));
    const runs = () => both.map(({ proxy }) => proxy.said().match(/begun/g)?.length ?? 0);
    await expect.poll(runs).toEqual([1, 0]);
    const next = /cursor="([^"]+)"/.exec(first)![1]!;
    expect(await call(both[1]!.url, 'counted', { cursor: next })).not.toHaveProperty('isError', true);
    expect(runs()).toEqual([1, 0]);
  });

  test('full: true on one gives what a call on the other gave, and a miss runs the tool', async () => {
    const more = { list: { compression: 'max' } };
    const [one, two] = [await replica({}, more), await replica({}, more)];
    const invoke = (url: string, more: object) => call(url, 'invoke_tool', { tool_name: 'stamp', tool_input: {}, ...more });
    const preview = await invoke(one.url, {});
    const full = await invoke(two.url, { full: true });
    expect(textOf(full)).toHaveLength(20_000);
    expect(stampOf(full)).toBe(stampOf(preview));
    await redis.ask('FLUSHALL');
    expect(stampOf(await invoke(two.url, { full: true }))).not.toBe(stampOf(preview));
  });

  test('principals read no originals of each other, on either', async () => {
    const http = { auth: { bearer: ['alice', 'bob'] } };
    const more = { list: { compression: 'max' } };
    const [one, two] = [await replica({}, more, http), await replica({}, more, http)];
    const big = { tool_name: 'big', tool_input: {} };
    const [alices, bobs] = [idOf(await call(one.url, 'invoke_tool', big, 'alice')), idOf(await call(one.url, 'invoke_tool', big, 'bob'))];
    expect(alices).not.toBe(bobs);
    for (const { url } of [one, two]) {
      expect(await recover(url, alices, 'alice')).not.toHaveProperty('isError', true);
      const refused = await recover(url, alices, 'bob');
      expect(refused).toEqual(await recover(url, alices.replace(/.{4}$/, '0000'), 'bob'));
      expect(textOf(refused)).toContain('no response is kept under this response_id');
    }
    const invoke = (url: string, token: string, more: object = {}) =>
      call(url, 'invoke_tool', { tool_name: 'stamp', tool_input: {}, ...more }, token);
    const hers = stampOf(await invoke(one.url, 'alice'));
    expect(stampOf(await invoke(two.url, 'bob', { full: true }))).not.toBe(hers);
    expect(stampOf(await invoke(two.url, 'alice', { full: true }))).toBe(hers);
  });

  test('another secret, or another namespace, finds nothing', async () => {
    const one = await replica();
    const id = idOf(await call(one.url, 'big'));
    for (const settings of [{ secret: 'some other long secret' }, { namespace: 'other' }])
      expect(await recover((await replica(settings)).url, id)).toMatchObject({ isError: true });
  });

  test('what the server holds tells neither an id nor an original', async () => {
    const { url } = await replica({ namespace: 'apps:mcp' });
    const id = idOf(await call(url, 'big'));
    const keys = (await redis.ask('KEYS', '*')) as string[];
    for (const key of keys) expect(key).toMatch(/^apps:mcp:[0-9a-f]{32}$/);
    expect(keys.join()).not.toContain(id.replaceAll('-', ''));
    expect(await redis.ask('GET', keys[0]!)).not.toContain('Record');
  });

  test('what was evicted is said to be so; an original that is too large for an entry has no id', async () => {
    const [{ url }, small] = [await replica(), await replica({ maxBytesPerEntry: '10kB' })];
    const id = idOf(await call(url, 'big'));
    await redis.ask('FLUSHALL');
    expect(textOf(await recover(url, id))).toContain('had to make room');
    const preview = await call(small.url, 'big');
    expect(JSON.stringify(preview)).not.toContain('response_id');
    expect(JSON.stringify(preview).length).toBeLessThan(4000);
    expect(await redis.ask('DBSIZE')).toBe(0);
  });

  test('a client on standard input has originals of its own', async () => {
    const settings = { store: { redis: { url: redis.url, secret } }, results: { budget: { chars: 2000 } } };
    const [one, two] = [open(several({ a: scripted() }, settings)), open(several({ a: scripted() }, settings))];
    await Promise.all([one.initialize(), two.initialize()]);
    const resultOf = (answer: string) => (JSON.parse(answer) as { result: CallToolResult }).result;
    const id = idOf(resultOf(await one.call(1, 'big')));
    expect(resultOf(await one.call(2, RECOVERY, { response_id: id }))).not.toHaveProperty('isError', true);
    expect(resultOf(await two.call(3, RECOVERY, { response_id: id }))).toMatchObject({ isError: true });
  });

  const openssl = spawnSync('openssl', ['version']).status === 0;
  test.skipIf(!openssl)(`over TLS, where its certificate is checked${openssl ? '' : ' (skipped: openssl is not installed)'}`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'snugfit-tls-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
    const made =
      'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=localhost -addext basicConstraints=CA:FALSE -addext';
    const ours = [...made.split(' '), 'subjectAltName=DNS:localhost', '-out', certificate, '-keyout', key];
    execFileSync('openssl', ours, { stdio: 'ignore' });
    const port = await freePort();
    const tls = { '--tls-port': String(port), '--tls-cert-file': certificate, '--tls-key-file': key, '--tls-auth-clients': 'no' };
    const server = await RedisServer.start(...Object.entries(tls).flat(), '--tls-ca-cert-file', certificate);
    onTestFinished(() => server.kill());
    const settings = { store: { redis: { url: `rediss://localhost:${port}`, secret } }, results: { budget: { chars: 2000 } } };
    const answers = ['/dev/null', certificate].map(async (authorities) => {
      const proxy = open(several({ a: scripted() }, settings), ['env', `SSL_CERT_FILE=${authorities}`, BINARY, 'proxy']);
      await proxy.initialize();
      return (JSON.parse(await proxy.call(1, 'big')) as { result: CallToolResult }).result;
    });
    const [unknown, known] = await Promise.all(answers);
    expect(unknown).toMatchObject({ isError: true });
    expect(textOf(unknown!)).toMatch(/certificate/i);
    expect(idOf(known!)).toMatch(/^[0-9a-f-]{36}$/);
    expect(await server.ask('DBSIZE')).toBe(1);
  });

  describe('that fails', () => {
    const prometheus = { observability: { metrics: { prometheus: { enabled: true, port: 0 } } } };
    const health = async (url: string) => (await (await fetch(new URL('/readyz', url))).json()) as object;

    test('frozen: calls that need it fail in time, others do not notice, and later all goes on', async () => {
      const { url, proxy } = await replica({}, prometheus);
      const id = idOf(await call(url, 'big'));
      redis.freeze();
      try {
        const lost = await call(url, 'big', { n: 999 });
        expect(lost).toMatchObject({ isError: true });
        expect(textOf(lost)).toMatch(/could not be kept for recovery \(Redis: .*\).* do not blindly repeat a call that writes/);
        expect(await recover(url, id)).toMatchObject({ isError: true });
        expect(textOf(await call(url, 'echo', { n: 1 }))).toBe('{"n":1}');
        expect(await health(url)).toMatchObject({ status: 'ready', store: { state: 'down' } });
        const figures = /figures are at (\S+)/.exec(proxy.said())![1]!;
        const text = await (await fetch(figures)).text();
        expect(text).toMatch(/^snugfit_store_up 0$/m);
        expect(text).toMatch(/^snugfit_store_requests_total\{ok="false"\} [1-9]/m);
      } finally {
        redis.thaw();
      }
      await expect.poll(() => recover(url, id), { timeout: 10_000 }).not.toHaveProperty('isError', true);
      expect(await health(url)).toMatchObject({ store: { state: 'ready' } });
    });

    test('killed and restarted: what was kept is gone, and said to be; a full call runs nothing twice meanwhile', async () => {
      const { url, proxy } = await replica({}, { list: { compression: 'max' } });
      const invoke = (more: object = {}) => call(url, 'invoke_tool', { tool_name: 'stamp', tool_input: {}, ...more });
      const preview = await invoke();
      const id = idOf(preview);
      await redis.kill();
      try {
        const full = await invoke({ full: true });
        expect(full).toMatchObject({ isError: true });
        expect(textOf(full)).toContain('The original may still be kept: try again in a few seconds');
        await until(() => proxy.said().includes('originals cannot be kept: the store failed: Redis: no connection'));
      } finally {
        await redis.restart();
      }
      await expect.poll(async () => textOf(await recover(url, id)), { timeout: 10_000 }).toContain('no response is kept');
      expect(stampOf(await invoke({ full: true }))).not.toBe(stampOf(preview));
      await until(() => proxy.said().includes('originals can be kept again'));
    });

    test('onFailure: passthrough hands out the complete result', async () => {
      const { url, proxy } = await replica({ url: 'redis://127.0.0.1:1', onFailure: 'passthrough' });
      expect(textOf(await call(url, 'text', { lines: 2000 })).split('\n')).toHaveLength(2000);
      await until(() => proxy.said().includes('goes out whole'));
    });

    test('a wrong password is told, and stands nowhere', async () => {
      const { url, proxy } = await replica({ url: redis.url.replace('//', '//:hush@') });
      const lost = await call(url, 'big');
      expect(lost).toMatchObject({ isError: true });
      expect(JSON.stringify(lost) + proxy.said()).toMatch(/WRONGPASS|without any password|AUTH|[Aa]uthentication/);
      expect(JSON.stringify(lost) + proxy.said()).not.toContain('hush');
    });

    test('many calls at once on a server that stands still all get their answers', async () => {
      const { url } = await replica();
      redis.freeze();
      try {
        const lost = await Promise.all(Array.from({ length: 50 }, (_, n) => call(url, 'big', { n: 500 + n })));
        for (const one of lost) expect(one).toMatchObject({ isError: true });
      } finally {
        redis.thaw();
      }
    });
  });
});

test('without a Redis, requests that stand alone find what others of the same process kept', async () => {
  const { url } = await listening({});
  const id = idOf(await call(url, 'big'));
  expect(textOf(await recover(url, id, undefined, { path: '/total' }))).toContain('1000');
});
