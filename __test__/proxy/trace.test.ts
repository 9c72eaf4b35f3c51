import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { random } from '../support/samples.ts';
import { type Line, SECRET, folder, lines, portOf } from './observing.ts';
import { open, scripted, several, until } from './support.ts';

describe('the trace', () => {
  test('has a line for each message, and no secret', async () => {
    const path = join(await folder(), 'deep', 'trace.ndjson');
    const servers = { one: { command: scripted('--name', 'one'), env: { KEY: SECRET } }, two: scripted('--name', 'two') };
    const proxy = open(several(servers, { observability: { trace: { sink: 'file', path, payloads: true } } }));
    await proxy.initialize();
    await proxy.request(1, 'tools/list');
    await proxy.call(2, 'one__echo', {
      plain: `it is ${SECRET} here`,
      nested: JSON.stringify({ deep: [SECRET] }),
      password: 'hunter22',
      header: 'Bearer abcdefghijkl',
      [SECRET]: 1,
    });
    await proxy.call(3, 'one__big');
    await proxy.call(4, 'two__refuse');
    await proxy.call(5, SECRET);
    await proxy.call(6, 'one__log');
    proxy.child.stdin.end();
    await proxy.ended;

    expect(statSync(path).mode & 0o777).toBe(0o600);
    const text = readFileSync(path, 'utf8');
    for (const secret of [SECRET, JSON.stringify(SECRET).slice(1, -1), 'hunter22', 'abcdefghijkl']) expect(text).not.toContain(secret);
    expect(text.replaceAll('\\', '')).not.toContain(SECRET.replaceAll('\\', ''));

    const trace = lines(path);
    const sessions = new Set(trace.map(({ session }) => session));
    expect(sessions.size).toBe(1);
    expect([...sessions][0]).toMatch(/^[0-9a-f]{8}-1$/);
    for (const line of trace) {
      expect(line.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(['info', 'warn']).toContain(line.level);
      expect(['in', 'out']).toContain(line.dir);
    }
    const of = (about: object) => trace.filter((line) => Object.entries(about).every(([key, value]) => line[key] === value));
    // In from the client, out to the server, in from the server, out to the client.
    const echo = trace.filter(({ method, name }) => method === 'tools/call' && (name === 'one__echo' || name === 'echo'));
    expect(echo.map(({ dir, upstream, name, ok }) => [dir, upstream, name, ok])).toEqual([
      ['in', undefined, 'one__echo', undefined],
      ['out', 'one', 'echo', undefined],
      ['in', 'one', 'echo', true],
      ['out', undefined, 'one__echo', true],
    ]);
    expect(echo[0]).toMatchObject({ id: '2', params: { arguments: { plain: 'it is [redacted] here', password: '[redacted]' } } });
    const [big] = of({ dir: 'out', name: 'one__big' });
    expect(big!.tokensAfter).toBeLessThan(big!.tokensBefore / 2);
    expect(big!.durMs).toBeGreaterThan(0);
    expect(of({ dir: 'out', name: 'two__refuse' })[0]).toMatchObject({ ok: false, level: 'warn', error: { message: 'refused' } });
    expect(of({ dir: 'in', upstream: 'one', method: 'notifications/message' })).toHaveLength(2);
    expect(of({ dir: 'out', method: 'notifications/message' })).toHaveLength(2);
  });

  test('and the audit hold every answer that the client has, in whole lines, whenever the proxy is killed', async () => {
    const next = random(23);
    for (let round = 0; round < 10; round++) {
      const path = join(await folder(), 'trace.ndjson');
      const audit = join(dirname(path), 'audit.ndjson');
      const observability = {
        trace: { sink: 'file', path, payloads: true, maxBytes: '64KiB', maxFiles: 1000 },
        audit: { enabled: true, path: audit, maxBytes: '16KiB' },
      };
      const proxy = open(several({ one: scripted() }, { observability }));
      await proxy.initialize();
      for (let id = 1; id <= 400; id++) proxy.send({ id, method: 'tools/call', params: { name: 'echo', arguments: { id, round } } });
      // In the middle of anything: after some answers, and a little later.
      const answers = 1 + Math.floor(next() * 60);
      await until(() => proxy.lines.length > answers);
      const at = performance.now() + next() * 8;
      while (performance.now() < at) await new Promise((resolve) => setImmediate(resolve));
      proxy.child.kill('SIGKILL');
      await proxy.ended;

      const got = proxy.lines.map((line) => (JSON.parse(line) as { id: number }).id).filter((id) => id > 0);
      expect(got.length).toBeGreaterThanOrEqual(answers);
      // What was set aside is whole, and so is every line but the last of what was written at the end.
      const all = (file: string): Line[] =>
        readdirSync(dirname(file))
          .map((name) => join(dirname(file), name))
          .filter((one) => one.startsWith(file))
          .flatMap((one) => lines(one, one === file));
      const trace = all(path);
      const traced = (about: object) =>
        new Set(trace.filter((line) => Object.entries(about).every(([key, value]) => line[key] === value)).map(({ id }) => Number(id)));
      for (const about of [
        { dir: 'in', msg: 'request' },
        { dir: 'out', ok: true },
      ]) {
        const ids = traced({ method: 'tools/call', ...about });
        expect(got.filter((id) => !ids.has(id))).toEqual([]);
      }
      const audited = all(audit);
      const numbers = (event: string) => audited.filter((line) => line.event === event).map(({ call }) => call);
      const [begun, ended] = [new Set(numbers('call')), numbers('end')];
      expect(ended.length).toBeGreaterThanOrEqual(got.length);
      expect(new Set(ended).size).toBe(ended.length);
      for (const call of ended) expect(begun).toContain(call);
    }
  });

  test('tells sessions apart, whose clients use the same ids', async () => {
    const path = join(await folder(), 'trace.ndjson');
    const inbound = { stdio: true, http: { enabled: true, port: 0, sessions: 'stateful' } };
    const proxy = open(several({ one: scripted() }, { inbound, observability: { trace: { sink: 'file', path } } }));
    await proxy.initialize();
    const address = `${await portOf(proxy, '/mcp')}/mcp`;
    const visit = async () => {
      const client = new Client({ name: 'test', version: '1.0.0' });
      onTestFinished(() => client.close());
      await client.connect(new StreamableHTTPClientTransport(new URL(address)));
      await client.callTool({ name: 'echo', arguments: {} });
    };
    await Promise.all([visit(), visit(), proxy.call(1, 'echo')]);
    proxy.child.kill('SIGTERM');
    await proxy.ended;
    const calls = lines(path).filter(({ method }) => method === 'tools/call');
    const sessions = [...new Set(calls.map(({ session }) => session))];
    expect(sessions).toHaveLength(3);
    for (const session of sessions) {
      const own = calls.filter((line) => line.session === session);
      expect(own.map(({ dir, upstream }) => [dir, upstream])).toEqual([
        ['in', undefined],
        ['out', 'one'],
        ['in', 'one'],
        ['out', undefined],
      ]);
      const [asked, sent, answered, told] = own;
      expect([sent!.call, answered!.call, told!.id]).toEqual([asked!.id, asked!.id, asked!.id]);
      expect(answered!.id).toBe(sent!.id);
    }
  });

  test('goes to standard error where it is wanted there', async () => {
    const proxy = open(several({ one: scripted() }, { observability: { trace: { sink: 'stderr' } } }));
    await proxy.initialize();
    await proxy.call(1, 'echo', { a: SECRET });
    await until(() => proxy.said().includes('"dir":"out","method":"tools/call","name":"echo"'));
    expect(proxy.said()).not.toContain('"params"');
  });
});
