import { createServer } from 'node:http';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { random } from '../support/samples.ts';
import { folder, get, portOf, receiver } from './observing.ts';
import { open, scripted, until } from './support.ts';

/** A server behind a URL, whose tools say again whatever they were sent, headers and address included. */
async function echoing() {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString() || '{}') as {
        id?: number;
        method?: string;
        params?: { name?: string };
      };
      if (id === undefined) return void response.writeHead(method === undefined ? 405 : 202).end();
      const seen = JSON.stringify({ url: request.url, headers: request.headers, params });
      const answer = {
        initialize: { result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'far', version: '1' } } },
        'tools/list': { result: { tools: ['echo', 'refuse', 'fail'].map((name) => ({ name, inputSchema: { type: 'object' } })) } },
      }[method!] ??
        {
          refuse: { error: { code: -32000, message: `refused: ${seen}`, data: { seen } } },
          fail: { result: { content: [{ type: 'text', text: seen }], isError: true } },
        }[params!.name!] ?? { result: { content: [{ type: 'text', text: seen }], structuredContent: { seen } } };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** The texts that a secret could be read from: as it is, quoted again and again, encoded for a URL, and in base64. */
function forms(secret: string): string[] {
  const quoted = (text: string) => JSON.stringify(text).slice(1, -1);
  const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '').slice(0, -1);
  return [
    secret,
    quoted(secret),
    quoted(quoted(secret)),
    encodeURIComponent(secret),
    base64,
    base64.replaceAll('+', '-').replaceAll('/', '_'),
  ];
}

test.each([1, 2, 3])('no secret is in the trace, the audit, the figures, the spans or the log (seed %i)', async (seed) => {
  const next = random(seed);
  const secrets: Record<string, string> = {};
  /** A secret, remembered by where it was planted; in most places it may hold what JSON and URLs escape. */
  const plant = (where: string, special = ['', '"', '\\', ' ', 'é', '%', '+'][Math.floor(next() * 7)]!) => {
    const word = (length: number) => Array.from({ length }, () => LETTERS[Math.floor(next() * LETTERS.length)]!).join('');
    return (secrets[where] = `${word(8)}${special}${word(8)}`);
  };
  const place = await folder();
  const [host, otlp] = [await echoing(), await receiver()];
  const user = plant('the password of a URL', '');
  const servers = {
    near: {
      command: [...scripted(), '--name', 'near'],
      args: [],
      env: { KEY: plant('the environment'), LOGIN: plant('the environment again') },
    },
    far: {
      url: `http://me:${user}@${host}/mcp?key=${encodeURIComponent(plant('the query of a URL'))}`,
      headers: { 'x-api-key': plant('a header', ''), cookie: `session=${plant('a cookie', '')}` },
    },
    gone: { url: `http://127.0.0.1:1/mcp?token=${encodeURIComponent(plant('the query of a URL that cannot be reached'))}` },
    broken: { command: ['/no/such/program', '--token', plant('an argument of a program')] },
  };
  const observability = {
    trace: { sink: 'file', path: join(place, 'trace.ndjson'), payloads: true },
    audit: { enabled: true, path: join(place, 'audit.ndjson') },
    metrics: { prometheus: { enabled: true, port: 0 } },
    otel: { endpoint: otlp.endpoint, headers: { 'x-otel': plant('a header of the endpoint', '') } },
  };
  const bearer = plant('the bearer token', '');
  const inbound = { stdio: true, http: { enabled: true, port: 0, auth: { bearer: [bearer] } } };
  const proxy = open([
    '--log-level',
    'debug',
    '--config',
    JSON.stringify({ servers, observability, inbound, limits: { connectTimeout: '2s' } }),
  ]);
  await proxy.initialize();
  await proxy.request(1, 'tools/list');

  // What is known, called or formed like a secret, in whatever the client and servers say.
  const known = Object.values(secrets);
  const one = () => known[Math.floor(next() * known.length)]!;
  const named = () => ({
    password: plant('an argument called so'),
    nested: [{ 'api-key': plant('an argument called so, inside') }],
    json: JSON.stringify({ client_secret: plant('an argument called so, in JSON in a string') }),
    header: `Authorization: Bearer ${plant('an argument formed so', '')}`,
  });
  let id = 2;
  for (const tool of [
    'near__echo',
    'near__params',
    'near__refuse',
    'far__echo',
    'far__refuse',
    'far__fail',
    'gone__x',
    'broken__x',
    one(),
  ]) {
    const args = { plain: `it is ${one()}, is it not`, [one()]: 1, deep: JSON.stringify({ text: JSON.stringify([one()]) }), ...named() };
    const meta = { _meta: { progressToken: one(), note: one() } };
    const answer = await proxy.call(id++, tool, args, meta);
    expect(answer).toContain(`"id":${id - 1}`);
  }
  await proxy.request(one(), 'tools/call', { name: 'near__echo', arguments: {} }).catch(() => '');
  await proxy.request(id, `no/${one().replaceAll('"', '')}`, { uri: one() });
  const base = await portOf(proxy, '/mcp');
  for (const token of [bearer, one().replaceAll(/[^\w]/g, '')]) {
    await fetch(`${base}/mcp?key=${encodeURIComponent(one())}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', authorization: `Bearer ${token}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'far__echo', arguments: { a: one() } } }),
    }).then((response) => response.text());
  }
  const figures = await get(`${await portOf(proxy, '/metrics')}/metrics`);
  const health = await get(`${await portOf(proxy, '/metrics')}/healthz`);
  await until(() => otlp.spans().length > 5, 'spans');
  proxy.child.stdin.end();
  proxy.child.kill('SIGTERM');
  await proxy.ended;

  const written = Object.fromEntries(readdirSync(place).map((name) => [name, readFileSync(join(place, name), 'utf8')]));
  expect(Object.keys(written).sort()).toEqual(['audit.ndjson', 'trace.ndjson']);
  const told = {
    ...written,
    figures: figures.text,
    health: health.text,
    spans: JSON.stringify(otlp.posts.map(({ body }) => body)),
    log: proxy.said(),
  };
  for (const [what, text] of Object.entries(told)) {
    expect(text.length, what).toBeGreaterThan(100);
    const bare = text.replaceAll('\\', '');
    for (const [where, secret] of Object.entries(secrets)) {
      const found = forms(secret).filter((form) => text.includes(form) || bare.includes(form.replaceAll('\\', '')));
      expect(found, `${where}, in ${what}`).toEqual([]);
    }
  }
});
