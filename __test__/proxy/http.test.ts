import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { CreateMessageRequestSchema, type CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { spawn } from 'node:child_process';
import { type IncomingMessage, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { RECOVERY_TOOL as RECOVERY } from '../../host/recover.ts';
import { done, listening, plainly, serve, visit } from './http-support.ts';
import { BINARY, connect, official, open, scripted, several, textOf, until } from './support.ts';

describe('servers behind HTTP', () => {
  test('headers, session and revision go with every request; the session is ended', async () => {
    const seen: IncomingMessage[] = [];
    const url = await serve((message, request, response) => {
      seen.push(request);
      if (request.method === 'DELETE') return void response.writeHead(200).end();
      if (message.method !== 'tools/call') {
        plainly(message, response, { 'mcp-session-id': 'one' });
        return;
      }
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: done('ok') }));
    });
    const { call, client, said } = await connect(['--header', 'Authorization: Bearer planted-secret', '--header', 'X-Team: a', '--', url]);
    expect(textOf(await call('run'))).toBe('ok');
    await client.close();
    await until(() => seen.some(({ method }) => method === 'DELETE'));
    for (const { headers } of seen) expect(headers).toMatchObject({ authorization: 'Bearer planted-secret', 'x-team': 'a' });
    for (const { headers } of seen.slice(1))
      expect(headers).toMatchObject({ 'mcp-session-id': 'one', 'mcp-protocol-version': '2025-06-18' });
    expect(said()).not.toContain('planted-secret');
  });

  test('a stream with progress that breaks off is taken up again where it ended', async () => {
    const url = await serve((message, request, response) => {
      const event = (id: string, data: object) =>
        response.write(`id: ${id}\nretry: 10\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...data })}\n\n`);
      if (request.headers['last-event-id'] === 'a1') {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        event('a2', { id: call.id, result: done('resumed') });
        return void response.end();
      }
      if (message.method !== 'tools/call') {
        plainly(message, response);
        return;
      }
      call.id = message.id!;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      event('a1', { method: 'notifications/progress', params: { progressToken: message.params?._meta?.progressToken, progress: 1 } });
      setTimeout(() => response.destroy(), 20);
    });
    const call = { id: 0 };
    const { client } = await connect(['--', url]);
    const progress: number[] = [];
    const result = await client.callTool({ name: 'run', arguments: {} }, undefined, { onprogress: (step) => progress.push(step.progress) });
    expect(textOf(result as CallToolResult)).toBe('resumed');
    expect(progress).toEqual([1]);
  });

  test('a session that is over begins anew', async () => {
    let session = 0;
    let forgotten = false;
    const url = await serve((message, request, response) => {
      if (message.method === 'initialize') session++;
      else if (forgotten && request.headers['mcp-session-id'] === 's1') return void response.writeHead(404).end();
      if (message.method !== 'tools/call') {
        plainly(message, response, { 'mcp-session-id': `s${session}` });
        return;
      }
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: done(`in ${session}`) }));
    });
    const { call } = await connect(['--', url]);
    expect(textOf(await call('run'))).toBe('in 1');
    forgotten = true;
    await expect(call('run')).rejects.toThrow(/its session is over/);
    await until(() => session === 2);
    expect(textOf(await call('run'))).toBe('in 2');
  });

  test.each([
    [401, /HTTP 401.*credentials/],
    [500, /HTTP 500/],
  ])('an endpoint that answers %d says so', async (status, said) => {
    const url = await serve((_, __, response) => void response.writeHead(status).end());
    const proxy = open(['--', url]);
    expect((await proxy.initialize()).error?.message).toMatch(said);
  });

  test('credentials do not follow a redirect to another host', async () => {
    let reached = false;
    const other = await serve((_, __, response) => {
      reached = true;
      response.writeHead(200).end();
    });
    const url = await serve((_, __, response) => void response.writeHead(307, { location: other.replace('127.0.0.1', 'localhost') }).end());
    const proxy = open(['--header', 'X-Key: secret', '--', url]);
    expect((await proxy.initialize()).error?.message).toMatch(/redirects to another host/);
    expect(reached).toBe(false);
  });

  test('a redirect on the same host is followed, with the message and the headers', async () => {
    const seen: [string, string | undefined][] = [];
    const url = await serve((message, request, response) => {
      seen.push([request.url!, request.headers['x-key'] as string | undefined]);
      if (request.url === '/mcp') response.writeHead(307, { location: '/moved' }).end();
      else plainly(message, response);
    });
    const { client } = await connect(['--header', 'X-Key: secret', '--', url]);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('run');
    expect(seen.filter(([path]) => path === '/moved').length).toBeGreaterThan(1);
    expect(new Set(seen.map(([, key]) => key))).toEqual(new Set(['secret']));
  });

  test('a POST that is answered with another place is no answer, and is not sent again', async () => {
    let posts = 0;
    const url = await serve((_, { method }, response) => {
      if (method === 'POST') posts++;
      response.writeHead(303, { location: '/done' }).end();
    });
    expect((await open(['--', url]).initialize()).error?.message).toMatch(/HTTP 303/);
    expect(posts).toBe(1);
  });

  test('a proxy of the environment is gone through, but to hosts that need none', async () => {
    const through: string[] = [];
    const server = (name: string) =>
      serve((message, request, response) => {
        through.push(`${name} ${request.url}`);
        plainly(message, response);
      });
    const [middle, near] = [await server('proxy'), await server('server')];
    const env = { HTTP_PROXY: middle.replace('/mcp', ''), NO_PROXY: '127.0.0.1' };
    const tools = async (url: string) => (await (await connect(['--', url], { env })).client.listTools()).tools.map(({ name }) => name);
    expect(await tools('http://mcp.test/mcp')).toContain('run');
    expect(new Set(through.splice(0))).toEqual(new Set(['proxy http://mcp.test/mcp']));
    expect(await tools(near)).toContain('run');
    expect(new Set(through)).toEqual(new Set(['server /mcp']));
  });

  test.each(['streamableHttp', 'sse'])('server-everything over %s', async (transport) => {
    const port = await freePort();
    const [command, ...args] = official('everything', transport);
    const server = spawn(command!, args, { env: { ...process.env, PORT: String(port) } });
    onTestFinished(() => void server.kill());
    let said = '';
    server.stderr.on('data', (chunk: Buffer) => (said += String(chunk)));
    server.stdout.on('data', (chunk: Buffer) => (said += String(chunk)));
    await until(() => said.includes(String(port)));
    const client = new Client({ name: 'test', version: '1' }, { capabilities: { sampling: {} } });
    client.setRequestHandler(CreateMessageRequestSchema, () => ({
      role: 'assistant',
      model: 'm',
      content: { type: 'text', text: 'sampled text' },
    }));
    const { call } = await connect(['--', `http://127.0.0.1:${port}/${transport === 'sse' ? 'sse' : 'mcp'}`], { client });
    expect(textOf(await call('echo', { message: 'hi' }))).toBe('Echo: hi');
    expect(JSON.stringify(await call('trigger-sampling-request', { prompt: 'p', maxTokens: 10 }))).toContain('sampled text');
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('clients over HTTP', () => {
  test('each has a session of its own: its server, its originals, its requests', async () => {
    const { url, proxy } = await listening({ sessions: 'stateful' });
    const sampler = new Client({ name: 'sampler', version: '1' }, { capabilities: { sampling: {} } });
    sampler.setRequestHandler(CreateMessageRequestSchema, () => ({
      role: 'assistant',
      model: 'm',
      content: { type: 'text', text: 'mine' },
    }));
    const [one, two] = await Promise.all([visit(url, sampler), visit(url)]);
    expect(one.transport.sessionId).toMatch(/^[0-9a-f]{32}$/);
    expect(two.transport.sessionId).not.toBe(one.transport.sessionId);
    expect(textOf(await one.call('sample'))).toContain('mine');
    await expect(two.call('sample')).rejects.toThrow();

    const preview = JSON.parse(textOf(await one.call('big'))) as { truncation: { response_id: string } };
    const recover = { response_id: preview.truncation.response_id, path: '/records/7' };
    expect(textOf(await one.call(RECOVERY, recover))).toContain('Record 7');
    expect(await two.call(RECOVERY, recover)).toMatchObject({ isError: true });

    const progress: number[] = [];
    await one.client.callTool({ name: 'progress', arguments: {} }, undefined, { onprogress: (step) => progress.push(step.progress) });
    expect(progress).toEqual([1, 2, 3]);
    await one.transport.terminateSession();
    await expect(one.call('echo')).rejects.toThrow();
    expect(textOf(await two.call('echo'))).toBe('{}');
    expect(proxy.said().match(/\[a\] pid/g)).toHaveLength(2);
  });

  test('a cancelled call is cancelled at its server', async () => {
    const { url } = await listening({ sessions: 'stateful' });
    const { client, call } = await visit(url);
    const abort = new AbortController();
    const hanging = client.callTool({ name: 'hang', arguments: {} }, undefined, { signal: abort.signal });
    await call('echo');
    abort.abort('no more');
    await expect(hanging).rejects.toThrow();
    await expect.poll(async () => JSON.parse(textOf(await call('cancelled'))) as unknown[]).toHaveLength(1);
  });

  test('without sessions all share the servers, and ids of two clients do not meet', async () => {
    const { url, proxy } = await listening({});
    const visitors = await Promise.all(Array.from({ length: 20 }, () => visit(url)));
    const answers = await Promise.all(visitors.map(({ call }, n) => call('slow', { ms: 50 + n })));
    expect(answers.map(textOf)).toEqual(visitors.map((_, n) => `slept ${50 + n}`));
    expect(visitors[0]!.transport.sessionId).toBeUndefined();
    expect(proxy.said().match(/\[a\] pid/g)).toHaveLength(1);
    const preview = JSON.parse(textOf(await visitors[0]!.call('big'))) as { truncation: { response_id: string } };
    expect(textOf(await visitors[1]!.call(RECOVERY, { response_id: preview.truncation.response_id, path: '/total' }))).toContain('1000');
  });

  test.each([
    ['a foreign Origin', { origin: 'https://evil.example' }, 403],
    ['another content type', { 'content-type': 'text/plain' }, 415],
    ['no Accept for streams', { accept: 'application/json' }, 406],
    ['an unknown revision', { 'mcp-protocol-version': '1999-01-01' }, 400],
    ['no session', {}, 400],
    ['an unknown session', { 'mcp-session-id': 'x' }, 404],
  ])('%s is refused', async (_, headers, status) => {
    const { url } = await listening({ sessions: 'stateful' });
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toHaveProperty('error.message');
  });

  test('a message above the limit is refused', async () => {
    const { url } = await listening({}, { limits: { messageBytes: '100kB' } });
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const response = await fetch(url, { method: 'POST', headers, body: `"${'x'.repeat(200_000)}"` });
    expect(response.status).toBe(413);
  });

  test('calls under way are answered before the end', async () => {
    const { url, proxy } = await listening({ sessions: 'stateful' });
    const { call } = await visit(url);
    const slow = call('slow', { ms: 300 });
    await call('echo');
    proxy.child.kill('SIGTERM');
    expect(textOf(await slow)).toBe('slept 300');
    expect(await proxy.ended).toEqual([0, null]);
  });

  test('standard input and HTTP at the same time', async () => {
    const { url, proxy } = await listening(
      { sessions: 'stateful' },
      { inbound: { stdio: true, http: { enabled: true, port: 0, sessions: 'stateful' } } },
    );
    await proxy.initialize();
    expect(await proxy.call(1, 'echo', { a: 1 })).toContain('{\\"a\\":1}');
    const { call } = await visit(url);
    expect(textOf(await call('echo'))).toBe('{}');
    proxy.child.stdin.end();
    expect(textOf(await call('echo', { b: 2 }))).toBe('{"b":2}');
  });

  test('nobody listens to the network unguarded', async () => {
    const http = { enabled: true, host: '0.0.0.0', port: 0 };
    const proxy = open(several({ a: scripted() }, { inbound: { http } }), [BINARY, 'proxy']);
    expect(await proxy.ended).toEqual([2, null]);
    expect(proxy.said()).toContain('trustProxy');
  });
});
