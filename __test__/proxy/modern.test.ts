// The revision without a handshake, on either side of the proxy and on both.
import { Client as ClientV2, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { RECOVERY_TOOL as RECOVERY } from '../../host/recover.ts';
import { listening, post } from './http-support.ts';
import { BINARY, connect, open, scripted, textOf, until } from './support.ts';

const MODERN = '2026-07-28';

function modernClient() {
  const capabilities = { sampling: {}, elicitation: {}, roots: {} };
  const client = new ClientV2({ name: 'modern', version: '1' }, { capabilities, versionNegotiation: { mode: { pin: MODERN } } });
  client.setRequestHandler('sampling/createMessage', () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'sampled' } }));
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'modern' } }));
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///modern' }] }));
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const { content } = await client.callTool({ name, arguments: args });
    return content[0]?.type === 'text' ? content[0].text : '';
  };
  onTestFinished(() => client.close());
  return { client, call };
}

describe('a client without a handshake', () => {
  async function stdio(...server: string[]) {
    const { client, call } = modernClient();
    await client.connect(new StdioV2({ command: BINARY, args: ['proxy', '--max-chars', '4000', '--', ...server], stderr: 'ignore' }));
    return { client, call };
  }

  test.each([[[]], [['--modern']]])('in front of a server with %j', async (options) => {
    const { client, call } = await stdio(...scripted(...options));
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain(RECOVERY);
    const { truncation } = JSON.parse(await call('big')) as { truncation: { response_id: string } };
    expect(await call(RECOVERY, { response_id: truncation.response_id, path: '/records/9' })).toContain('Record 9');
    expect(await call('elicit')).toContain('"name":"modern"');
    const steps: number[] = [];
    await client.callTool({ name: 'progress', arguments: {} }, { onprogress: ({ progress }) => void steps.push(progress) });
    expect(steps).toEqual([1, 2, 3]);
  });

  test('progress goes on under the token of the request that brings the answer to a question', async () => {
    const { client } = await stdio(...scripted());
    const steps: (string | undefined)[] = [];
    await client.callTool({ name: 'ask-then-progress', arguments: {} }, { onprogress: ({ message }) => void steps.push(message) });
    // The first is the client's own.
    expect(steps.slice(1)).toEqual(['step 1', 'step 2', 'step 3']);
  });

  test('a server with a handshake asks it during a call', async () => {
    const { client, call } = await stdio(...scripted());
    expect(await call('sample')).toContain('sampled');
    expect(await call('roots')).toContain('file:///modern');
    expect((await client.readResource({ uri: 'test://shared' })).contents).toHaveLength(1);
  });

  test('it is told of changes when it listens for them', async () => {
    const { client, call } = await stdio(...scripted());
    const told: string[] = [];
    client.setNotificationHandler('notifications/tools/list_changed', ({ method }) => void told.push(method));
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void told.push(params.uri));
    await call('change');
    expect(told).toEqual([]);
    const listening = await client.listen({ toolsListChanged: true, resourceSubscriptions: ['test://shared'] });
    expect(listening.honoredFilter).toEqual({ toolsListChanged: true, resourceSubscriptions: ['test://shared'] });
    await call('change');
    await until(() => told.length === 2);
    expect(told.sort()).toEqual(['notifications/tools/list_changed', 'test://shared']);
    await listening.close();
    expect(await call('echo')).toBe('{}');
  });

  test('log messages come where they are asked for, from their level on', async () => {
    const proxy = open(['--', ...scripted()]);
    const own = { 'io.modelcontextprotocol/protocolVersion': MODERN, 'io.modelcontextprotocol/clientCapabilities': {} };
    const ask = (id: number, level?: string) =>
      proxy.call(id, 'log', {}, { _meta: { ...own, ...(level && { 'io.modelcontextprotocol/logLevel': level }) } });
    const logged = () => proxy.lines.filter((line) => line.includes('notifications/message')).length;
    await ask(1);
    expect(logged()).toBe(0);
    await ask(2, 'error');
    expect(logged()).toBe(1);
    await until(() => proxy.said().includes('level error'));
    await ask(3, 'debug');
    await until(() => proxy.said().includes('level debug'));
    await ask(4, 'warning');
    expect(proxy.said()).not.toContain('level warning');
    expect(logged()).toBe(4);
  });

  test.each(['stateless', 'stateful'])('over HTTP, where others have sessions: %s', async (sessions) => {
    const { url } = await listening({ sessions });
    const { client, call } = modernClient();
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain(RECOVERY);
    expect(JSON.parse(await call('big'))).toMatchObject({ truncation: { complete: false } });
    const told: string[] = [];
    client.setNotificationHandler('notifications/tools/list_changed', ({ method }) => void told.push(method));
    const listener = await client.listen({ toolsListChanged: true });
    await call('change');
    await until(() => told.length === 1);
    await listener.close();
  });

  test('without sessions, a client and a server of this revision put and answer questions by themselves', async () => {
    const { url } = await listening({}, {}, scripted('--modern'));
    const { client, call } = modernClient();
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    expect(await call('elicit')).toContain('"name":"modern"');
  });

  test('a server asks nothing that the client does not say that it answers', async () => {
    const proxy = open(['--', ...scripted()]);
    const capabilities = { elicitation: {} };
    const _meta = { 'io.modelcontextprotocol/protocolVersion': MODERN, 'io.modelcontextprotocol/clientCapabilities': capabilities };
    expect(await proxy.call(1, 'sample', {}, { _meta })).toContain('can be asked only');
    proxy.send({ id: 2, method: 'tools/call', params: { name: 'elicit', arguments: {}, _meta } });
    expect(await proxy.line((line) => line.includes('"id":2,'))).toContain('input_required');
  });

  test.each([
    ['the headers say what the message says', 'tools/list', {}, {}, 200, undefined],
    ['another method', 'tools/list', {}, { 'mcp-method': 'tools/call' }, 400, -32020],
    ['another revision than the message', 'tools/list', {}, { 'mcp-protocol-version': '2025-11-25' }, 400, -32020],
    ['a revision that nobody speaks', 'tools/list', {}, { 'mcp-protocol-version': '2099-01-01' }, 400, -32022],
    ['another name', 'tools/call', { name: 'echo' }, { 'mcp-name': 'big' }, 400, -32020],
    ['another name in Base64', 'tools/call', { name: 'echo' }, { 'mcp-name': '=?base64?Ymln?=' }, 400, -32020],
    ['a name in Base64', 'tools/call', { name: 'echo' }, { 'mcp-name': '=?base64?ZWNobw==?=' }, 200, undefined],
    ['no header of an argument', 'tools/call', { name: 'regional', arguments: { region: 'eu' } }, {}, 400, -32020],
    [
      'the header of an argument',
      'tools/call',
      { name: 'regional', arguments: { region: 'eu' } },
      { 'mcp-param-region': 'eu' },
      200,
      undefined,
    ],
    ['no method of ours', 'no/such', {}, {}, 404, -32601],
    ['a method of other revisions', 'resources/subscribe', { uri: 'test://shared' }, {}, 404, -32601],
    ['no such tool', 'tools/call', { name: 'none' }, {}, 200, -32602],
  ])('over HTTP: %s', async (_, method, params, headers, status, code) => {
    const { url } = await listening({});
    const _meta = { 'io.modelcontextprotocol/protocolVersion': MODERN, 'io.modelcontextprotocol/clientCapabilities': {} };
    const name: Record<string, string> = 'name' in params ? { 'mcp-name': params.name } : {};
    const response = await post(
      url,
      { id: 7, method, params: { ...params, _meta } },
      {
        ...{ 'mcp-protocol-version': MODERN, 'mcp-method': method },
        ...name,
        ...(headers as Record<string, string>),
      },
    );
    const answer = (await response.json()) as { id: number; error?: { code: number } };
    expect([response.status, answer.error?.code]).toEqual([status, code]);
    if (code !== -32022) expect(answer.id).toBe(7);
  });

  test('a client of this revision repeats arguments in headers as the list says', async () => {
    const { url } = await listening({});
    const { client, call } = modernClient();
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    await client.listTools();
    expect(await call('regional', { region: 'eu ü' })).toBe('{"region":"eu ü"}');
  });
});

describe('a server without a handshake', () => {
  test('a client with one sees no difference', async () => {
    const client = new Client({ name: 'old', version: '1' }, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'old' } }));
    const { call } = await connect(['--max-chars', '4000', '--', ...scripted('--modern')], { client });
    expect(client.getServerVersion()).toMatchObject({ name: 'scripted' });
    expect(textOf(await call('echo', { a: 1 }))).toBe('{"a":1}');
    expect(JSON.parse(textOf(await call('big')))).toMatchObject({ truncation: { complete: false } });
    expect(JSON.parse(textOf(await call('elicit')))).toEqual([
      'state of the server',
      { who: { action: 'accept', content: { name: 'old' } } },
    ]);
  });
});
