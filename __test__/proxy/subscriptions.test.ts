// The life of subscriptions to resources: who is told of what, for how long, and what servers hear of it.
import { Client as ClientV2, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listening, visit } from './http-support.ts';
import { connect, open, scripted, several, until } from './support.ts';

const MODERN = '2026-07-28';
const _meta = { 'io.modelcontextprotocol/protocolVersion': MODERN, 'io.modelcontextprotocol/clientCapabilities': {} };

/** How often something was said. */
const times = (said: string, what: string) => said.split(`] ${what}\n`).length - 1;

/** A client with a handshake, and the URIs that it was told of. */
function told() {
  const client = new Client({ name: 'test', version: '1' });
  const uris: string[] = [];
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void uris.push(params.uri));
  return { client, uris };
}

describe('a client without a handshake', () => {
  /** A proxy over standard input, where several requests listen at a time. */
  function stdio(servers: Record<string, string[]> = { a: scripted('--name', 'a') }, limits: object = {}) {
    const proxy = open(several(servers, { limits }));
    const lines = (id: number, method: string) =>
      proxy.lines.filter((line) => line.includes(`"io.modelcontextprotocol/subscriptionId":${id}`) && line.includes(`"${method}"`));
    const listen = async (id: number, ...uris: string[]) => {
      proxy.send({
        ...{ id, method: 'subscriptions/listen' },
        params: { _meta, notifications: { resourceSubscriptions: uris } },
      });
      await until(() => lines(id, 'notifications/subscriptions/acknowledged').length === 1, 'the acknowledgement');
      const { params } = JSON.parse(lines(id, 'notifications/subscriptions/acknowledged')[0]!) as {
        params: { notifications: { resourceSubscriptions?: string[] } };
      };
      return params.notifications.resourceSubscriptions;
    };
    return {
      ...{ proxy, listen },
      end: (id: number) => proxy.send({ method: 'notifications/cancelled', params: { requestId: id, _meta } }),
      touch: (id: number, uri: string, tool = 'touch') => proxy.call(id, tool, { uri }, { _meta }),
      updates: (id: number) =>
        lines(id, 'notifications/resources/updated').map((line) => (JSON.parse(line) as { params: { uri: string } }).params.uri),
    };
  }

  test('whoever listens for the same resource is told for as long as it listens, and the server until nobody does', async () => {
    const { proxy, listen, end, touch, updates } = stdio();
    expect(await listen(1, 'test://shared')).toEqual(['test://shared']);
    expect(await listen(2, 'test://shared')).toEqual(['test://shared']);
    await until(() => updates(1).length > 0 && updates(2).length > 0);
    end(1);
    // The cancellation is dealt with before the next request.
    await proxy.request(3, 'tools/list', { _meta });
    const [first, second] = [updates(1).length, updates(2).length];
    await touch(4, 'test://shared');
    await until(() => updates(2).length > second, 'the update');
    expect(updates(1)).toHaveLength(first);
    expect(proxy.said()).not.toContain('unsubscribed');
    end(2);
    await until(() => proxy.said().includes('unsubscribed test://shared'));
    expect(times(proxy.said(), 'unsubscribed test://shared')).toBe(1);
  });

  test('who gives up before it is told that it listens leaves nothing behind', async () => {
    const { proxy, end } = stdio();
    const uris = ['test://shared', 'hang://a'];
    proxy.send({ id: 1, method: 'subscriptions/listen', params: { _meta, notifications: { resourceSubscriptions: uris } } });
    await until(() => uris.every((uri) => times(proxy.said(), `subscribed ${uri}`) === 1));
    end(1);
    for (const uri of uris) await until(() => proxy.said().includes(`unsubscribed ${uri}`), uri);
  });

  test('a resource that its server does not answer for holds up nothing longer than a list', async () => {
    const { proxy, listen, touch, updates } = stdio({ a: scripted('--name', 'a') }, { listTimeout: '1s' });
    expect(await listen(1, 'hang://a', 'test://shared')).toEqual(['test://shared']);
    await until(() => proxy.said().includes('unsubscribed hang://a'));
    await touch(2, 'test://shared');
    await until(() => updates(1).length > 0);
  });

  test('what changes before the word that it listens comes after it', async () => {
    const { listen, updates } = stdio({ a: scripted('--name', 'a') }, { listTimeout: '1s' });
    await listen(1, 'hang://a', 'test://shared');
    // The server tells of it once, 20 ms after it was subscribed to.
    await until(() => updates(1).length === 1);
    expect(updates(1)).toEqual(['test://shared']);
  });

  test('a server that is started again tells of the same', async () => {
    const { proxy, listen, touch, updates } = stdio();
    await listen(1, 'test://shared');
    await until(() => updates(1).length > 0);
    await touch(2, '', 'die');
    await until(() => times(proxy.said(), 'subscribed test://shared') === 2);
    const before = updates(1).length;
    await touch(3, 'test://shared');
    await until(() => updates(1).length > before);
  });

  test('what lies within a resource is told of under the URI that the client knows', async () => {
    const { listen, touch, updates } = stdio({ a: scripted('--name', 'a'), b: scripted('--name', 'b') });
    await listen(1, 'x-b+test://shared');
    await touch(2, 'test://shared/part', 'b__touch');
    await touch(3, 'test://sharedness', 'b__touch');
    await touch(4, 'test://shared/other', 'b__touch');
    await until(() => updates(1).includes('x-b+test://shared/other'));
    expect(updates(1).filter((uri) => uri !== 'x-b+test://shared')).toEqual(['x-b+test://shared/part', 'x-b+test://shared/other']);
  });

  test.each(['stateless', 'stateful'])('over HTTP, two clients are told of one resource, each for itself: %s', async (sessions) => {
    const { url, proxy } = await listening({ sessions });
    const visitors = await Promise.all(
      ['one', 'two'].map(async (name) => {
        const client = new ClientV2({ name, version: '1' }, { versionNegotiation: { mode: { pin: MODERN } } });
        const uris: string[] = [];
        client.setNotificationHandler('notifications/resources/updated', ({ params }) => void uris.push(params.uri));
        onTestFinished(() => client.close());
        await client.connect(new StreamableHTTPClientTransport(new URL(url)));
        expect(client.getServerCapabilities()?.resources?.subscribe).toBe(true);
        const listener = await client.listen({ resourceSubscriptions: ['test://shared'] });
        expect(listener.honoredFilter).toEqual({ resourceSubscriptions: ['test://shared'] });
        return { client, uris, listener };
      }),
    );
    const [one, two] = visitors as [(typeof visitors)[0], (typeof visitors)[0]];
    await until(() => one.uris.length > 0 && two.uris.length > 0);
    await one.listener.close();
    const [first, second] = [one.uris.length, two.uris.length];
    await two.client.callTool({ name: 'touch', arguments: { uri: 'test://shared' } });
    await until(() => two.uris.length > second);
    expect(one.uris).toHaveLength(first);
    expect(proxy.said()).not.toContain('unsubscribed');
    await two.listener.close();
    await until(() => proxy.said().includes('unsubscribed test://shared'));
  });
});

describe('a client with a handshake', () => {
  test('the server that took a subscription is the one that is told of its end', async () => {
    const { client } = told();
    const { said } = await connect(several({ a: scripted('--name', 'a'), b: scripted('--name', 'b') }), { client });
    await client.subscribeResource({ uri: 'own://b/1' });
    await until(() => said().includes('[b] subscribed own://b/1'));
    await client.unsubscribeResource({ uri: 'own://b/1' });
    await until(() => said().includes('[b] unsubscribed own://b/1'));
    expect(said()).not.toContain('[a] unsubscribed');
  });

  test('what ends while its server is down stays ended, and the rest goes on', async () => {
    const { client, uris } = told();
    const { call, said } = await connect(several({ a: scripted('--name', 'a'), b: scripted('--name', 'b') }), { client });
    await client.subscribeResource({ uri: 'test://a/one' });
    await client.subscribeResource({ uri: 'test://a/items/1' });
    await expect(call('a__die')).rejects.toThrow();
    await client.unsubscribeResource({ uri: 'test://a/items/1' });
    await until(() => times(said(), 'subscribed test://a/one') === 2);
    uris.length = 0;
    await call('a__touch', { uri: 'test://a/one' });
    await until(() => uris.includes('test://a/one'));
    expect(times(said(), 'subscribed test://a/items/1')).toBe(1);
  });

  test('two with sessions over HTTP are each told for themselves', async () => {
    const { url } = await listening({ sessions: 'stateful' });
    const [one, two] = [told(), told()];
    const [visitor] = [await visit(url, one.client), await visit(url, two.client)];
    await one.client.subscribeResource({ uri: 'test://shared' });
    await two.client.subscribeResource({ uri: 'test://shared' });
    await until(() => one.uris.length === 1 && two.uris.length === 1);
    await visitor.call('touch', { uri: 'test://shared' });
    await until(() => one.uris.length === 2);
    expect(two.uris).toHaveLength(1);
    await two.client.unsubscribeResource({ uri: 'test://shared' });
    await visitor.call('touch', { uri: 'test://shared' });
    await until(() => one.uris.length === 3);
  });
});

test('a server that does not take in the level of its log messages holds up no other, and no call', async () => {
  const servers = { deaf: scripted('--name', 'deaf', '--no-level'), good: scripted('--name', 'good') };
  const { client, call, said } = await connect(several(servers, { limits: { listTimeout: '1s', callTimeout: '60s' } }));
  await client.setLoggingLevel('error');
  expect(said()).toContain('[good] level error');
  await call('good__log');
  const modern = open(several({ deaf: servers.deaf }, { limits: { callTimeout: '60s' } }));
  const level = { _meta: { ..._meta, 'io.modelcontextprotocol/logLevel': 'debug' } };
  expect(await modern.call(1, 'echo', {}, level)).toContain('"result"');
  expect(modern.said()).toContain('level debug');
});
