import { request } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { RECOVERY_TOOL as RECOVERY } from '../../host/recover.ts';
import { JSON_HEADERS, done, listening, plainly, post, serve, visit } from './http-support.ts';
import { textOf, until } from './support.ts';

const call = (id: number, name: string, args: object = {}, meta?: object) => ({
  id,
  method: 'tools/call',
  params: { name, arguments: args, ...(meta && { _meta: meta }) },
});

/** Sends a call and never reads what comes back. */
function unread(url: string, message: object, headers: Record<string, string> = {}) {
  const asking = request(url, { method: 'POST', headers: { ...JSON_HEADERS, ...headers } }, (response) => response.pause());
  asking.on('error', () => undefined);
  asking.end(JSON.stringify({ jsonrpc: '2.0', ...message }));
  onTestFinished(() => void asking.destroy());
}

describe('clients that share servers', () => {
  test('one that does not read its stream holds nobody up, and is ended', async () => {
    const { url, proxy } = await listening({});
    unread(url, call(1, 'flood', {}, { progressToken: 1 }));
    const { call: ask } = await visit(url);
    await until(() => proxy.said().includes('does not read the response'));
    for (let n = 0; n < 3; n++) expect(textOf(await ask('echo', { n }))).toBe(`{"n":${n}}`);
  });

  test('log messages that may be of another client go to nobody', async () => {
    const { url } = await listening({});
    const slow = post(url, call(1, 'slow', { ms: 200 }));
    const { call: ask } = await visit(url);
    expect(textOf(await ask('log'))).toBe('logged');
    const answer = await (await slow).text();
    expect(answer).toContain('slept 200');
    expect(answer).not.toContain('notifications/message');
  });

  test('progress under one token goes to each of two clients', async () => {
    const { url } = await listening({});
    const steps = async (n: number) => {
      const response = await post(url, call(1, 'progress', { steps: n }, { progressToken: 'same' }));
      return (await response.text()).match(/"progress":\d+/g);
    };
    const [two, four] = await Promise.all([steps(2), steps(4)]);
    expect(two).toHaveLength(2);
    expect(four).toHaveLength(4);
  });

  test.each(['stateless', 'stateful'])('nobody cancels what another asked under the same id: %s', async (sessions) => {
    const { url } = await listening({ sessions });
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
    const modern = (method: string) => ({ 'mcp-protocol-version': '2026-07-28', 'mcp-method': method });
    const { id, method, params } = call(1, 'slow', { ms: 500 }, _meta);
    const slow = post(url, { id, method, params }, { ...modern(method), 'mcp-name': 'slow' });
    await post(url, call(2, 'echo', {}, _meta), { ...modern(method), 'mcp-name': 'echo' });
    const cancelled = 'notifications/cancelled';
    await post(url, { method: cancelled, params: { requestId: id, _meta } }, modern(cancelled));
    expect(await (await slow).text()).toContain('slept 500');
  });

  test('what a server sends beside an answer goes to whoever asked', async () => {
    const url = await serve((message, _, response) => {
      if (message.method !== 'tools/call') {
        plainly(message, response);
        return;
      }
      const { who } = message.params!.arguments as { who: string };
      const event = (data: object) => response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...data })}\n\n`);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      setTimeout(() => {
        event({ method: 'notifications/message', params: { level: 'info', data: `for ${who}` } });
        event({ id: message.id, result: done(who) });
        response.end();
      }, 50);
    });
    const proxy = await listening({}, {}, { url });
    const texts = await Promise.all(['one', 'two'].map(async (who) => (await post(proxy.url, call(1, 'run', { who }))).text()));
    for (const [at, who] of ['one', 'two'].entries()) expect(texts[at]!.match(/for \w+/g)).toEqual([`for ${who}`]);
  });

  test('nobody is asked, subscribed or heard for all', async () => {
    const { url } = await listening({});
    const { client, call: ask } = await visit(url);
    expect(client.getServerCapabilities()).toMatchObject({ tools: { listChanged: false } });
    expect(client.getServerCapabilities()).not.toHaveProperty('logging');
    expect(client.getServerCapabilities()).not.toHaveProperty('resources.subscribe');
    await expect(ask('sample')).rejects.toThrow(/no client can be asked/);
    for (const [method, params] of [
      ['logging/setLevel', { level: 'debug' }],
      ['resources/subscribe', { uri: 'test://shared' }],
    ]) {
      const answer = (await (await post(url, { id: 1, method, params })).json()) as { error: { message: string } };
      expect(answer.error.message).toContain('sessions: stateful');
    }
  });
});

describe('clients with tokens', () => {
  const auth = { bearer: ['one', 'two'] };
  const as = (token: string) => ({ authorization: `Bearer ${token}` });
  const preview = async (url: string, headers: Record<string, string>) => {
    const text = await (await post(url, call(1, 'big'), headers)).text();
    return /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(text)![0];
  };

  test('without sessions: one reads no original of another', async () => {
    const { url } = await listening({ auth });
    const id = await preview(url, as('one'));
    const read = async (token: string) => (await post(url, call(2, RECOVERY, { response_id: id, path: '/total' }), as(token))).text();
    expect(await read('one')).toContain('1000');
    expect(await read('two')).toContain('"isError":true');
  });

  test('a session is of the client that began it', async () => {
    const { url } = await listening({ auth, sessions: 'stateful' });
    const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'one', version: '1' } };
    const begun = await post(url, { id: 0, method: 'initialize', params: hello }, as('one'));
    const session = { 'mcp-session-id': begun.headers.get('mcp-session-id')! };
    await begun.text();
    const ping = (token: string) => post(url, { id: 1, method: 'ping' }, { ...session, ...as(token) });
    expect((await ping('one')).status).toBe(200);
    expect((await ping('two')).status).toBe(404);
    expect((await fetch(url, { method: 'DELETE', headers: { ...session, ...as('two') } })).status).toBe(404);
    // The revision without sessions ends none either, whoever names one.
    const modern = { 'mcp-protocol-version': '2026-07-28', ...session, ...as('two') };
    for (const method of ['DELETE', 'GET']) expect((await fetch(url, { method, headers: modern })).status).toBe(405);
    expect((await ping('one')).status).toBe(200);
  });
});
