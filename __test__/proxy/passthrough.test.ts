// Clients whose own credentials servers see.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { done, listening, plainly, post, serve } from './http-support.ts';
import { open, several, textOf } from './support.ts';

/** A server with sessions that says who asks it, and which credentials each of its sessions has seen. */
async function asking() {
  const sessions = new Map<string, Set<string>>();
  const url = await serve((message, { headers, method }, response) => {
    const own = headers.authorization ?? 'nobody';
    const known = headers['mcp-session-id'] as string | undefined;
    const session = known ?? `session-${sessions.size}`;
    sessions.set(session, (sessions.get(session) ?? new Set()).add(own));
    if (message.method !== 'tools/call' || method !== 'POST') {
      plainly(message, response, { 'mcp-session-id': session });
      return;
    }
    const answer = JSON.stringify({ jsonrpc: '2.0', id: message.id, result: done(own) });
    // In any order, so that answers of two clients cross.
    setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end(answer), Math.random() * 20);
  });
  return { url, sessions };
}

/** A client that shows these credentials, which may change. */
async function showing(url: string, credentials: { authorization?: string }) {
  const client = new Client({ name: 'visitor', version: '1' });
  const shown = (input: string | URL, init?: RequestInit) => {
    const headers = new Headers(init?.headers);
    if (credentials.authorization !== undefined) headers.set('authorization', credentials.authorization);
    return fetch(input, { ...init, headers });
  };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch: shown }));
  onTestFinished(() => client.close());
  return async () => textOf((await client.callTool({ name: 'run', arguments: {} })) as CallToolResult);
}

test.each(['stateless', 'stateful'])('each client reaches the server with its own credentials, and no others: %s', async (sessions) => {
  const upstream = await asking();
  const { url, proxy } = await listening({ sessions }, {}, { url: upstream.url, auth: 'passthrough' });
  const [one, two, nobody] = await Promise.all([
    showing(url, { authorization: 'Bearer token-of-one' }),
    showing(url, { authorization: 'Basic two' }),
    showing(url, {}),
  ]);
  const rounds = Array.from({ length: 20 }, () => Promise.all([one(), two(), nobody()]));
  for (const round of await Promise.all(rounds)) expect(round).toEqual(['Bearer token-of-one', 'Basic two', 'nobody']);
  for (const seen of upstream.sessions.values()) expect(seen.size).toBe(1);
  expect(proxy.said()).not.toContain('token-of-one');
});

test('a session is its client’s alone: with other credentials there is none', async () => {
  const upstream = await asking();
  const { url } = await listening({ sessions: 'stateful' }, {}, { url: upstream.url, auth: 'passthrough' });
  const credentials = { authorization: 'Bearer first' };
  const call = await showing(url, credentials);
  expect(await call()).toBe('Bearer first');
  credentials.authorization = 'Bearer second';
  await expect(call()).rejects.toThrow('no such session');
  const again = await showing(url, credentials);
  expect(await again()).toBe('Bearer second');
});

describe('what the server wants of whoever shows it credentials, the client hears', () => {
  const CHALLENGE = 'Bearer resource_metadata="https://mcp.example/.well-known/oauth-protected-resource", scope="read"';
  const MORE = 'Bearer error="insufficient_scope", scope="read write"';
  const initialize = {
    ...{ id: 1, method: 'initialize' },
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'visitor', version: '1' } },
  };
  const good = { authorization: 'Bearer good' };

  /** A server that takes one token, and asks for more scopes where a tool is called with `more`. */
  async function guarded() {
    const taken = new Set([good.authorization]);
    const url = await serve((message, { headers }, response) => {
      if (!taken.has(headers.authorization ?? '')) response.writeHead(401, { 'www-authenticate': CHALLENGE }).end();
      else if (message.params?.arguments?.more) response.writeHead(403, { 'www-authenticate': MORE }).end();
      else plainly(message, response);
    });
    return { url, taken };
  }
  const heard = async (response: Promise<Response>) => {
    const { status, headers } = await response;
    return [status, headers.get('www-authenticate'), headers.get('mcp-session-id')];
  };

  test('without sessions', async () => {
    const { url: server, taken } = await guarded();
    const { url } = await listening({}, {}, { url: server, auth: 'passthrough' });
    const call = (args: object) => ({ id: 2, method: 'tools/call', params: { name: 'run', arguments: args } });
    for (const message of [initialize, { id: 2, method: 'tools/list' }, call({})])
      expect(await heard(post(url, message))).toEqual([401, CHALLENGE, null]);
    expect(await heard(post(url, { id: 2, method: 'tools/list' }, good))).toEqual([200, null, null]);
    expect(await heard(post(url, call({ more: true }), good))).toEqual([403, MORE, null]);
    expect(await heard(post(url, call({}), good))).toEqual([200, null, null]);
    taken.clear();
    expect(await heard(post(url, call({}), good))).toEqual([401, CHALLENGE, null]);
    // What is no request of the server's is answered as ever.
    expect(await heard(post(url, { id: 3, method: 'ping' }, good))).toEqual([200, null, null]);
  });

  test('with sessions, of which none begins', async () => {
    const { url: server } = await guarded();
    const { url } = await listening({ sessions: 'stateful' }, {}, { url: server, auth: 'passthrough' });
    expect(await heard(post(url, initialize))).toEqual([401, CHALLENGE, null]);
    expect(await heard(post(url, initialize, good))).toEqual([200, null, expect.any(String)]);
  });

  test('but not where the proxy shows credentials of its own', async () => {
    const { url: server } = await guarded();
    const { url } = await listening({}, {}, { url: server });
    expect(await heard(post(url, initialize))).toEqual([200, null, null]);
  });
});

test('over standard input there is nothing to pass on, and that is said', async () => {
  const proxy = open(several({ a: { url: 'http://127.0.0.1:1/mcp', auth: 'passthrough' } }));
  expect(await proxy.ended).toEqual([2, null]);
  expect(proxy.said()).toContain('set inbound.http.enabled');
});

test('whoever comes in without a token is asked for one', async () => {
  const { url } = await listening({ auth: { bearer: ['the-token'] } });
  const ping = { id: 1, method: 'ping' };
  const refused = await post(url, ping, { authorization: 'Bearer another' });
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  expect((await post(url, ping)).status).toBe(401);
  expect((await post(url, ping, { authorization: 'Bearer the-token' })).status).toBe(200);
});
