import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BINARY, open, scripted, several, until } from './support.ts';

/** A Python that may have the parser of Prometheus' own client. */
const PYTHON = fileURLToPath(new URL('../../target/mcp/bin/python', import.meta.url));
const hasParser = spawnSync(PYTHON, ['-c', 'import prometheus_client.parser']).status === 0;
/** Prints how many samples of each name there are; the parser refuses what is not of the format. */
const COUNT_SAMPLES = `
import collections, json, sys
from prometheus_client.parser import text_string_to_metric_families
samples = [sample for family in text_string_to_metric_families(sys.stdin.read()) for sample in family.samples]
print(json.dumps(collections.Counter(sample.name for sample in samples)))
`;

/** A line of the trace or of the audit. */
interface Line {
  [member: string]: unknown;
  time: string;
  dir: string;
  method: string;
  id: string;
  event: string;
  durMs: number;
  tokensBefore: number;
  tokensAfter: number;
}

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
}

interface Export {
  resourceSpans?: { scopeSpans: { spans: Span[] }[] }[];
  resourceLogs?: { scopeLogs: { logRecords: { body: { stringValue: string } }[] }[] }[];
}

interface Health {
  status: string;
  upstreams: Record<string, { state: string; failures: number }>;
}

interface Row {
  tool: string;
  results: number;
  cut: number;
  before: number;
  after: number;
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'snugfit-observe-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

/** The lines of a file; the last may be broken off where `killed`. */
function lines(path: string, killed = false): Line[] {
  const all = readFileSync(path, 'utf8').split('\n');
  const last = all.pop()!;
  if (!killed) expect(last).toBe('');
  return all.map((line) => JSON.parse(line) as Line);
}

/** The samples of a page in the text format of Prometheus, by name and labels. Strict: whatever is not of the format throws. */
function parsePrometheus(page: string): Map<string, number> {
  expect(page.endsWith('\n')).toBe(true);
  const samples = new Map<string, number>();
  const kinds = new Map<string, string>();
  for (const line of page.split('\n').slice(0, -1)) {
    const comment = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/.exec(line);
    if (comment) {
      if (comment[1] === 'TYPE') {
        if (kinds.has(comment[2]!)) throw new Error(`twice: ${line}`);
        kinds.set(comment[2]!, comment[3]!);
      }
      continue;
    }
    const sample = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*"(?:,(?=[a-zA-Z_])|(?=\})))*\})? (\S+)$/.exec(
      line,
    );
    if (!sample || Number.isNaN(Number(sample[3]))) throw new Error(`no sample: ${line}`);
    const family = sample[1]!.replace(/_(bucket|sum|count)$/, '');
    if (!kinds.has(sample[1]!) && kinds.get(family) !== 'histogram') throw new Error(`of no type: ${line}`);
    const key = sample[1]! + (sample[2] ?? '');
    if (samples.has(key)) throw new Error(`twice: ${line}`);
    samples.set(key, Number(sample[3]));
  }
  return samples;
}

/** A port that the proxy says it listens on. */
async function portOf(proxy: { said: () => string }, path: string): Promise<string> {
  const at = new RegExp(`http://(127\\.0\\.0\\.1:\\d+)${path}`);
  await until(() => at.test(proxy.said()), `the port of ${path}`);
  return `http://${at.exec(proxy.said())![1]}`;
}

async function get(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers });
  return { status: response.status, text: await response.text() };
}

const SECRET = 'pl4nted"s3cret\\é';

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

  test('holds every answer that the client has when the proxy is killed', async () => {
    const path = join(await folder(), 'trace.ndjson');
    const audit = join(path, '..', 'audit.ndjson');
    const observability = {
      trace: { sink: 'file', path, payloads: true, maxBytes: '64KiB', maxFiles: 1000 },
      audit: { enabled: true, path: audit },
    };
    for (const answers of [1, 7, 50]) {
      const proxy = open(several({ one: scripted('--name', 'one'), two: scripted('--name', 'two') }, { observability }));
      await proxy.initialize();
      for (let id = 1; id <= 400; id++)
        proxy.send({ id: `${answers}-${id}`, method: 'tools/call', params: { name: 'one__echo', arguments: { id } } });
      await until(() => proxy.lines.filter((line) => line.includes(`"id":"${answers}-`)).length >= answers);
      proxy.child.kill('SIGKILL');
      await proxy.ended;
      const got = proxy.lines.flatMap((line) => /"id":("\d+-\d+")/.exec(line)?.[1] ?? []);
      const files = [path, ...Array.from({ length: 400 }, (_, n) => `${path}.${n + 1}`)].filter((file) => existsSync(file));
      const all = files.flatMap((file) => lines(file, true));
      const traced = new Set(all.filter(({ dir, ok }) => dir === 'out' && ok === true).map(({ id }) => id));
      for (const id of got) expect(traced).toContain(id);
      const ended = lines(audit, true).filter(({ event }) => event === 'end');
      expect(ended.length).toBeGreaterThanOrEqual(got.length);
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

describe('the audit', () => {
  test('says who called what, by the claims of the token and never the token', async () => {
    const path = join(await folder(), 'audit.ndjson');
    const claims = {
      sub: 'me',
      iss: 'https://id.example',
      aud: ['a', 'b'],
      scope: 'read write',
      client_id: 'app',
      email: 'me@example.org',
    };
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const token = `${encode({ alg: 'none' })}.${encode(claims)}.c2lnbmF0dXJl`;
    const http = { enabled: true, port: 0, auth: { bearer: [token] } };
    const proxy = open(
      several({ one: scripted() }, { inbound: { stdio: false, http }, observability: { audit: { enabled: true, path } } }),
    );
    const base = await portOf(proxy, '/mcp');
    const post = (id: number, name: string) =>
      fetch(`${base}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', authorization: `Bearer ${token}` },
        body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: {} } }),
      }).then((response) => response.text());
    await post(1, 'echo');
    await post(2, 'fail');
    await post(3, 'nothing-of-the-kind');
    proxy.child.kill('SIGTERM');
    await proxy.ended;
    const { email, ...told } = claims;
    const audit = lines(path);
    expect(audit.map(({ event, call, name, tool, outcome }) => [event, call, name ?? tool, outcome])).toEqual([
      ['call', 1, 'echo', undefined],
      ['end', 1, 'echo', 'ok'],
      ['call', 2, 'fail', undefined],
      ['end', 2, 'fail', 'error'],
      ['call', 3, 'nothing-of-the-kind', undefined],
      ['end', 3, expect.anything(), 'error'],
    ]);
    expect(audit[0]).toMatchObject(told);
    const text = readFileSync(path, 'utf8');
    for (const never of [token, 'c2lnbmF0dXJl', email]) expect(text).not.toContain(never);
  });
});

describe('figures and health', () => {
  const prometheus = { metrics: { prometheus: { enabled: true, port: 0 } } };

  test('are read by a parser of the text format', async () => {
    const proxy = open(
      several(
        { one: scripted('--name', 'one', '--tools', '20'), gone: ['/no/such/program'] },
        { list: { compression: 'max' }, observability: prometheus, limits: { listTimeout: '1s' } },
      ),
    );
    await proxy.initialize();
    await proxy.request(1, 'tools/list');
    await proxy.call(2, 'one__echo');
    await proxy.call(3, 'one__echo');
    await proxy.call(4, 'one__fail', { n: 1 });
    const big = await proxy.call(5, 'one__big');
    const id = /response_id\\*"?:? ?\\*"([\w-]+)/.exec(big)![1]!;
    await proxy.call(6, 'compressor_recover_response', { response_id: id });
    await proxy.call(7, 'compressor_recover_response', { response_id: 'nothing' });
    const base = await portOf(proxy, '/metrics');
    const { status, text } = await get(`${base}/metrics`);
    expect(status).toBe(200);
    const samples = parsePrometheus(text);
    expect(samples.get('snugfit_calls_total{upstream="one",tool="echo",ok="true"}')).toBe(2);
    expect(samples.get('snugfit_calls_total{upstream="one",tool="fail",ok="false"}')).toBe(1);
    expect(samples.get('snugfit_call_duration_seconds_count{upstream="one"}')).toBe(4);
    expect(samples.get('snugfit_tokens_saved_total{upstream="one",what="result"}')).toBeGreaterThan(1000);
    expect(samples.get('snugfit_tokens_saved_total{upstream="one",what="list"}')).toBeGreaterThan(0);
    expect(samples.get('snugfit_fit_seconds_count')).toBeGreaterThanOrEqual(1);
    expect(samples.get('snugfit_recoveries_total{hit="true"}')).toBe(1);
    expect(samples.get('snugfit_recoveries_total{hit="false"}')).toBe(1);
    expect(samples.get('snugfit_upstream_up{upstream="one"}')).toBe(1);
    expect(samples.get('snugfit_upstream_up{upstream="gone"}')).toBe(0);
    expect(samples.get('snugfit_store_entries')).toBe(1);
    expect(samples.get('snugfit_store_bytes')).toBeGreaterThan(1000);

    const health = JSON.parse((await get(`${base}/healthz`)).text) as Health;
    expect(health).toMatchObject({ status: 'ready', upstreams: { one: { state: 'ready' } } });
    expect(health.upstreams.gone!.failures).toBeGreaterThan(0);
    expect((await get(`${base}/readyz`)).status).toBe(200);

    // The dashboard asks for what there is.
    const dashboard = readFileSync(new URL('../../dashboards/grafana.json', import.meta.url), 'utf8');
    const known = new Set([...samples.keys()].map((key) => key.replace(/\{.*/, '')));
    const asked = new Set(dashboard.match(/snugfit_\w+/g));
    expect(asked.size).toBeGreaterThan(6);
    for (const name of asked) expect(known).toContain(name);
  });

  test.skipIf(!hasParser)(
    `are read by the parser of Prometheus' own client${hasParser ? '' : ': skipped, since it is not there'}`,
    async () => {
      const proxy = open(several({ one: scripted() }, { observability: prometheus }));
      await proxy.initialize();
      await proxy.call(1, 'big');
      const { text } = await get(`${await portOf(proxy, '/metrics')}/metrics`);
      const counts = JSON.parse(execFileSync(PYTHON, ['-c', COUNT_SAMPLES], { input: text, encoding: 'utf8' })) as Record<string, number>;
      const ours: Record<string, number> = {};
      for (const key of parsePrometheus(text).keys()) {
        const name = key.replace(/\{.*/, '');
        ours[name] = (ours[name] ?? 0) + 1;
      }
      expect(counts).toEqual(ours);
      expect(counts).toMatchObject({ snugfit_calls_total: 1, snugfit_fit_seconds_count: 1 });
    },
  );

  test('a proxy without a server that works is alive and not ready; health is on the port of clients as well', async () => {
    const http = { enabled: true, port: 0 };
    const proxy = open(several({ gone: ['/no/such/program'] }, { inbound: { stdio: false, http }, observability: prometheus }));
    for (const base of [await portOf(proxy, '/mcp'), await portOf(proxy, '/metrics')]) {
      expect((await get(`${base}/healthz`)).status).toBe(200);
      const { status, text } = await get(`${base}/readyz`);
      expect([status, (JSON.parse(text) as Health).status]).toEqual([503, 'not ready']);
    }
  });

  test('a web page that rebinds its name does not read along', async () => {
    const proxy = open(several({ one: scripted() }, { observability: prometheus }));
    const port = new URL(await portOf(proxy, '/metrics')).port;
    const asked = spawn('curl', [
      '-s',
      '-o',
      '/dev/null',
      '-w',
      '%{http_code}',
      '-H',
      'Host: evil.example',
      `http://127.0.0.1:${port}/metrics`,
    ]);
    let said = '';
    asked.stdout.on('data', (chunk: Buffer) => (said += String(chunk)));
    await once(asked, 'close');
    expect(said).toBe('403');
  });
});

describe('OpenTelemetry', () => {
  /** An OTLP receiver. */
  async function receiver() {
    const posts: { path: string; body: Export; headers: object }[] = [];
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        posts.push({ path: request.url!, body: JSON.parse(Buffer.concat(chunks).toString()) as Export, headers: request.headers });
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const spans = () =>
      posts.flatMap(({ body }) => (body.resourceSpans ?? []).flatMap((all) => all.scopeSpans.flatMap((one) => one.spans)));
    return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, posts, spans };
  }

  test('gets the spans of a call in the trace of the client, and its lines', async () => {
    const { endpoint, posts, spans } = await receiver();
    const observability = { otel: { endpoint, headers: { 'x-key': SECRET.slice(0, 7) } }, trace: { sink: 'otlp' } };
    const proxy = open(several({ one: scripted() }, { observability }));
    await proxy.initialize();
    const trace = '0af7651916cd43dd8448eb211c80319c';
    const parent = 'b7ad6b7169203331';
    const more = { _meta: { traceparent: `00-${trace}-${parent}-01`, tracestate: 'a=b' } };
    const params = await proxy.call(1, 'params', {}, more);
    await proxy.call(2, 'big', {}, more);
    proxy.child.stdin.end();
    await proxy.ended;

    const own = spans().filter(({ traceId }) => traceId === trace);
    expect(own.map(({ name, kind }) => [name, kind]).sort()).toEqual(
      [
        ['fit', 1],
        ['tools/call big', 2],
        ['tools/call big', 3],
        ['tools/call params', 2],
        ['tools/call params', 3],
      ].sort(),
    );
    for (const { kind, parentSpanId, startTimeUnixNano, endTimeUnixNano, spanId } of own) {
      expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));
      expect(spanId).toMatch(/^[0-9a-f]{16}$/);
      if (kind === 2) expect(parentSpanId).toBe(parent);
      else expect(own.find((span) => span.spanId === parentSpanId)?.kind).toBe(2);
    }
    // The server is part of the trace, below our span.
    const seen = /traceparent\\":\\"(00-[0-9a-f]{32}-([0-9a-f]{16})-01)/.exec(params)!;
    expect(seen[1]).toContain(trace);
    expect(own.find(({ spanId }) => spanId === seen[2])).toMatchObject({ kind: 3 });
    expect(params).toContain('tracestate');

    expect(posts.find(({ path }) => path === '/v1/traces')!.headers).toMatchObject({
      'content-type': 'application/json',
      'x-key': SECRET.slice(0, 7),
    });
    const records = posts.flatMap(({ body }) => (body.resourceLogs ?? []).flatMap((all) => all.scopeLogs.flatMap((one) => one.logRecords)));
    expect(records.map(({ body }) => (JSON.parse(body.stringValue) as Line).name)).toContain('params');
  });

  test('the trace goes on through the headers of HTTP on both sides', async () => {
    const { endpoint, spans } = await receiver();
    const heard: Record<string, string | string[] | undefined>[] = [];
    const upstream = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { id, method } = JSON.parse(Buffer.concat(chunks).toString() || '{}') as { id?: number; method?: string };
        if (id === undefined) return void response.writeHead(method === undefined ? 405 : 202).end();
        if (method === 'tools/call') heard.push(request.headers);
        const result = {
          initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'far', version: '1' } },
          'tools/list': { tools: [{ name: 'go', inputSchema: { type: 'object' } }] },
        }[method!] ?? { content: [{ type: 'text', text: 'gone' }] };
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      });
    });
    await once(upstream.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void upstream.close());
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/mcp`;
    const inbound = { stdio: false, http: { enabled: true, port: 0 } };
    const proxy = open(several({ far: { url } }, { inbound, observability: { otel: { endpoint } } }));
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    const answered = await fetch(`${await portOf(proxy, '/mcp')}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        traceparent: `00-${trace}-00f067aa0ba902b7-01`,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'go', arguments: {} } }),
    });
    expect(await answered.text()).toContain('gone');
    expect(heard).toHaveLength(1);
    expect(heard[0]!.traceparent).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-01$`));
    await until(() => spans().filter(({ traceId }) => traceId === trace).length === 2);
    expect(spans().find(({ kind, traceId }) => kind === 2 && traceId === trace)!.parentSpanId).toBe('00f067aa0ba902b7');
  });

  test('that does not answer costs a warning', async () => {
    const proxy = open(several({ one: scripted() }, { observability: { otel: { endpoint: 'http://127.0.0.1:1' } } }));
    await proxy.initialize();
    await proxy.call(1, 'echo', { a: 1 });
    await until(() => proxy.said().includes('warning: OpenTelemetry: '));
    expect(await proxy.call(2, 'echo', { a: 1 })).toContain('"id":2');
  });
});

describe('what was written', () => {
  /** What a command says, and its exit code. */
  const run = (...args: string[]) =>
    new Promise<{ code: number; out: string; err: string }>((resolve) => {
      execFile(BINARY, args, { cwd: tmpdir() }, (error, out, err) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
      );
    });

  test('is followed by `trace tail`, and run through a configuration by `replay`', async () => {
    const path = join(await folder(), 'trace.ndjson');
    const config = { servers: { one: { command: scripted() } }, observability: { trace: { sink: 'file', path, payloads: true } } };
    const proxy = open(['--config', JSON.stringify(config)]);
    await proxy.initialize();
    await proxy.call(1, 'big');
    const tail = spawn(BINARY, ['trace', 'tail', path, '-n', '1']);
    onTestFinished(() => void tail.kill());
    let said = '';
    tail.stdout.on('data', (chunk: Buffer) => (said += String(chunk)));
    await until(() => said.includes('tools/call  big'));
    expect(said.split('\n')).toHaveLength(2);
    await proxy.call(2, 'text');
    await until(() => said.includes('tools/call  text'));
    proxy.child.stdin.end();
    await proxy.ended;

    const { out } = await run('trace', 'tail', path, '--no-pretty', '--no-follow', '-n', '2');
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as Line).method),
    ).toEqual(['tools/call', 'tools/call']);

    const replayed = await run('replay', path, '--json', '--config', JSON.stringify(config));
    const rows = JSON.parse(replayed.out) as Row[];
    expect(rows.map(({ tool, results, cut }) => [tool, results, cut]).sort()).toEqual([
      ['one.big', 1, 1],
      ['one.text', 1, 1],
    ]);
    for (const { before, after } of rows) expect(after).toBeLessThan(before);
    const off = await run('replay', path, '--json', '--config', JSON.stringify({ ...config, results: { mode: 'off' } }));
    for (const { before, after, cut } of JSON.parse(off.out) as Row[]) expect([after, cut]).toEqual([before, 0]);
  });

  test('in the logs of others is replayed, too', async () => {
    const path = join(await folder(), 'log.json');
    const rows = JSON.stringify(Array.from({ length: 2000 }, (_, id) => ({ id, text: 'some words about it '.repeat(4) })));
    const messages = [
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'query', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: rows }] },
      { role: 'assistant', tool_calls: [{ id: 'o', type: 'function', function: { name: 'list', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 'o', content: rows },
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 's', toolName: 'find', output: { type: 'text', value: rows } }] },
    ];
    await writeFile(path, JSON.stringify({ model: 'x', messages }, null, 2));
    const { code, out } = await run('replay', path);
    expect(code).toBe(0);
    for (const name of ['query', 'list', 'find', 'all']) expect(out).toMatch(new RegExp(`^${name} +\\d`, 'm'));
    await writeFile(path, messages.map((message) => JSON.stringify(message)).join('\n'));
    expect((await run('replay', path)).out).toBe(out);
    await writeFile(path, '{"nothing": []}');
    expect(await run('replay', path)).toMatchObject({ code: 1, err: expect.stringContaining('there are no results of tools') as string });
  });
});
