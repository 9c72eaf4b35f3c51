import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, test } from 'vitest';
import { connect, open, scripted, several, textOf, until } from './support.ts';

/** A client that answers everything that a server may ask. */
function capable() {
  const client = new Client(
    { name: 'capable', version: '1.0.0' },
    { capabilities: { sampling: {}, elicitation: {}, roots: { listChanged: true } } },
  );
  client.setRequestHandler(CreateMessageRequestSchema, () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'hello' } }));
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Ada' } }));
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///here' }] }));
  return client;
}

describe.each([
  ['one server', ['--', ...scripted()], ''],
  ['several servers', several({ a: scripted('--name', 'a'), b: scripted('--name', 'b') }), 'b__'],
])('%s: both directions', (_, args, prefix) => {
  test('servers ask the client that they work for', async () => {
    const { call } = await connect(args, { client: capable() });
    expect(JSON.parse(textOf(await call(`${prefix}sample`)))).toMatchObject({ role: 'assistant', content: { text: 'hello' } });
    expect(JSON.parse(textOf(await call(`${prefix}elicit`)))).toEqual({ action: 'accept', content: { name: 'Ada' } });
    expect(JSON.parse(textOf(await call(`${prefix}roots`)))).toEqual({ roots: [{ uri: 'file:///here' }] });
    expect(JSON.parse(textOf(await call(`${prefix}client`)))).toMatchObject({
      capabilities: { sampling: {}, elicitation: {}, roots: { listChanged: true } },
      clientInfo: { name: 'capable' },
    });
  });

  test('progress comes under the token of the call, before its answer', async () => {
    const { client } = await connect(args);
    const steps = Array.from({ length: 3 }, (_, n) => n);
    const seen = await Promise.all(
      steps.map(async () => {
        const progress: number[] = [];
        await client.callTool({ name: `${prefix}progress`, arguments: {} }, undefined, {
          onprogress: (step) => progress.push(step.progress),
        });
        return progress;
      }),
    );
    expect(seen).toEqual(steps.map(() => [1, 2, 3]));
  });

  test('a cancelled call is cancelled at its server, and others go on', async () => {
    const { client, call } = await connect(args);
    const abort = new AbortController();
    const hanging = client.callTool({ name: `${prefix}hang`, arguments: {} }, undefined, { signal: abort.signal });
    const slow = call(`${prefix}slow`, { ms: 300 });
    await call(`${prefix}echo`);
    abort.abort('no more');
    await expect(hanging).rejects.toThrow();
    await until(() => true);
    const cancelled = async () => JSON.parse(textOf(await call(`${prefix}cancelled`))) as unknown[];
    expect(await cancelled()).toHaveLength(1);
    expect(textOf(await slow)).toBe('slept 300');
  });

  test('a server takes a request of its own back', async () => {
    const client = capable();
    let aborted = false;
    client.setRequestHandler(CreateMessageRequestSchema, async (_request, { signal }) => {
      if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      aborted = true;
      return { role: 'assistant' as const, model: 'm', content: { type: 'text' as const, text: 'late' } };
    });
    const { call } = await connect(args, { client });
    expect(textOf(await call(`${prefix}sample-cancelled`))).toBe('gave up');
    await until(() => aborted);
  });

  test('log messages, their level, and changes of lists', async () => {
    const client = capable();
    const logged: unknown[] = [];
    let changed = 0;
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logged.push(params.level));
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (changed += 1));
    const { call, said } = await connect(args, { client });
    await call(`${prefix}log`);
    expect(logged).toEqual(['info', 'error']);
    await client.setLoggingLevel('warning');
    await until(() => said().includes('level warning'));
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain(`${prefix}extra`);
    await call(`${prefix}change`);
    await until(() => changed > 0);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain(`${prefix}extra`);
  });
});

test('updates of subscribed resources come under the URIs that the client knows', async () => {
  const client = capable();
  const updated: string[] = [];
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void updated.push(params.uri));
  await connect(several({ a: scripted('--name', 'a'), b: scripted('--name', 'b') }), { client });
  await client.listResources();
  await client.subscribeResource({ uri: 'x-b+test://shared' });
  await client.subscribeResource({ uri: 'test://shared' });
  await until(() => updated.length === 2);
  expect(updated.sort()).toEqual(['test://shared', 'x-b+test://shared']);
  await client.unsubscribeResource({ uri: 'x-b+test://shared' });
});

test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
  'a client of any revision and a server of %s work together',
  async (version) => {
    const answers = ['2025-03-26', '2025-06-18', '2025-11-25'].map(async (asked) => {
      const proxy = open(['--', ...scripted('--version', version)]);
      const { result } = await proxy.initialize(asked);
      expect(result.protocolVersion).toBe(asked);
      return proxy.call(1, 'echo', { a: 1 });
    });
    for (const answer of await Promise.all(answers)) expect(answer).toContain('{\\"a\\":1}');
  },
);

test('a batch of the old revision is answered', async () => {
  const proxy = open(['--', ...scripted()]);
  await proxy.initialize('2025-03-26');
  const echo = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'echo', arguments: { id } } });
  proxy.write(JSON.stringify([echo(7), echo(8), { jsonrpc: '2.0', method: 'notifications/roots/list_changed' }]));
  for (const id of [7, 8]) expect(await proxy.line((line) => line.includes(`"id":${id},`))).toContain(`{\\"id\\":${id}}`);
});

test('what comes before initialize, what is no message and what is unknown get an error', async () => {
  const proxy = open(['--', ...scripted()]);
  expect(await proxy.request(1, 'tools/list')).toContain('"code":-32601');
  expect(await proxy.request(2, 'ping')).toContain('"result":{}');
  proxy.write('{ no json');
  expect(await proxy.line((line) => line.includes('-32700'))).toContain('"id":null');
  await proxy.initialize();
  expect(await proxy.request(3, 'no/such/method')).toContain('no method no/such/method');
});
