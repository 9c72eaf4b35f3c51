// A server of the revision without a handshake, made with the SDK that serves it over HTTP, behind clients that know one.
import { McpServer, createMcpHandler, fromJsonSchema, inputRequired } from '@modelcontextprotocol/server';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { run, temporaryFolder } from '../support/shell.ts';
import { connect, textOf, until } from './support.ts';

const text = (value: unknown) => ({ content: [{ type: 'text' as const, text: JSON.stringify(value) }] });
const parameter = (type: string, header: string) => ({ type, 'x-mcp-header': header });

/** A server that speaks this revision alone; `regional` is what the tool `regional` takes. */
async function modernServer(regional: () => Record<string, object> = () => ({ region: parameter('string', 'Region') })) {
  const requests: { method: string | undefined; headers: Headers }[] = [];
  let goOn: (() => void) | undefined;
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name: 'modern', version: '1' }, { capabilities: { logging: {}, resources: { subscribe: true } } });
      const properties = { ...regional(), n: { type: 'integer' } };
      server.registerTool('regional', { inputSchema: fromJsonSchema({ type: 'object', properties }) }, (args) => text(args));
      server.registerTool(
        'misplaced',
        { inputSchema: fromJsonSchema({ type: 'object', properties: { n: parameter('number', 'N') } }) },
        () => text('never'),
      );
      server.registerTool('log', {}, async ({ mcpReq }) => {
        // eslint-disable-next-line @typescript-eslint/no-deprecated -- it sends what the client asks for and no more
        for (const level of ['debug', 'warning', 'error'] as const) await mcpReq.log(level, { level });
        return text('logged');
      });
      server.registerTool('ask', {}, async ({ mcpReq }) => {
        if (mcpReq.inputResponses === undefined) {
          const requestedSchema = { type: 'object' as const, properties: { name: { type: 'string' as const } } };
          return inputRequired({ inputRequests: { who: inputRequired.elicit({ message: 'name?', requestedSchema }) } });
        }
        const progressToken = mcpReq._meta?.progressToken;
        if (progressToken !== undefined) {
          await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 7 } });
          await new Promise<void>((resolve) => void (goOn = resolve));
        }
        return text(mcpReq.inputResponses);
      });
      server.registerResource('note', 'test://note', {}, () => ({ contents: [{ uri: 'test://note', text: 'note' }] }));
      return server;
    },
    { legacy: 'reject' },
  );
  const http = createServer((request, response) => {
    void (async () => {
      const gone = new AbortController();
      response.on('close', () => gone.abort());
      const url = `http://127.0.0.1${request.url}`;
      const body = request.method === 'POST' ? await buffer(request) : undefined;
      const asked = new Request(url, {
        method: request.method!,
        headers: Object.entries(request.headers) as [string, string][],
        body,
        signal: gone.signal,
      });
      requests.push({ method: asked.headers.get('mcp-method') ?? undefined, headers: asked.headers });
      const answer = await handler.fetch(asked);
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      if (answer.body === null) response.end();
      else Readable.fromWeb(answer.body as never).pipe(response);
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    await handler.close();
    http.closeAllConnections();
    http.close();
  });
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`, notify: handler.notify, requests, goOn: () => goOn?.() };
}

test('a client with a handshake subscribes to resources, and is told of changes', async () => {
  const { url, notify, requests } = await modernServer();
  const { client } = await connect(['--', url]);
  const told: string[] = [];
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void told.push(params.uri));
  client.setNotificationHandler(ToolListChangedNotificationSchema, ({ method }) => void told.push(method));
  client.setNotificationHandler(ResourceListChangedNotificationSchema, ({ method }) => void told.push(method));
  const listeners = () => requests.filter(({ method }) => method === 'subscriptions/listen').length;
  await until(() => listeners() === 1);
  await client.subscribeResource({ uri: 'test://note' });
  notify.resourceUpdated('test://note');
  notify.toolsChanged();
  notify.resourcesChanged();
  await until(() => told.length === 3);
  expect(told.sort()).toEqual(['notifications/resources/list_changed', 'notifications/tools/list_changed', 'test://note']);

  await client.unsubscribeResource({ uri: 'test://note' });
  notify.resourceUpdated('test://note');
  notify.toolsChanged();
  await until(() => told.length === 4);
  expect(told.filter((what) => what === 'test://note')).toHaveLength(1);
  // A server that no longer listens, or a client that is gone, is nothing that is told by messages of its own.
  expect(requests.map(({ method }) => method)).not.toContain('notifications/cancelled');
  expect(requests.map(({ method }) => method)).not.toContain('notifications/roots/list_changed');
});

test('log messages come from the level on that the client has set', async () => {
  const { url } = await modernServer();
  const { client, call } = await connect(['--', url]);
  const logged: string[] = [];
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logged.push(params.level));
  await call('log');
  expect(logged).toEqual([]);
  await client.setLoggingLevel('warning');
  await call('log');
  expect(logged).toEqual(['warning', 'error']);
});

test('progress after a question of the server comes under the token of the call', async () => {
  const { url, goOn } = await modernServer();
  const client = new Client({ name: 'old', version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'old' } }));
  await connect(['--', url], { client });
  const steps: number[] = [];
  const onprogress = ({ progress }: { progress: number }) => {
    steps.push(progress);
    goOn();
  };
  const result = await client.callTool({ name: 'ask', arguments: {} }, undefined, { onprogress });
  expect(JSON.stringify(result)).toContain('old');
  expect(steps).toEqual([7]);
});

test('arguments are repeated in the headers that their tool names, and a tool that names them wrongly is left out', async () => {
  const { url, requests } = await modernServer();
  const { client, call, said } = await connect(['--', url]);
  expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('misplaced');
  await until(() => said().includes('the tool "misplaced" is left out'));
  for (const region of ['eu-1', ' weit weg ü'])
    expect(JSON.parse(textOf(await call('regional', { region, n: 1 })))).toEqual({ region, n: 1 });
  expect(JSON.parse(textOf(await call('regional', { n: 2 })))).toEqual({ n: 2 });
  const sent = requests.filter(({ method }) => method === 'tools/call').map(({ headers }) => headers.get('mcp-param-region'));
  expect(sent).toEqual(['eu-1', `=?base64?${Buffer.from(' weit weg ü').toString('base64')}?=`, null]);
});

test('a server that wants other headers than it said is asked what it wants', async () => {
  let properties: Record<string, object> = { region: { type: 'string' } };
  const { url, requests } = await modernServer(() => properties);
  const { call } = await connect(['--', url]);
  expect(JSON.parse(textOf(await call('regional', { region: 'a' })))).toEqual({ region: 'a' });
  properties = { region: parameter('string', 'Place') };
  expect(JSON.parse(textOf(await call('regional', { region: 'b' })))).toEqual({ region: 'b' });
  expect(requests.at(-1)!.headers.get('mcp-param-place')).toBe('b');
});

test('a command whose server wants other headers than it said is run with them', async () => {
  let properties: Record<string, object> = { region: { type: 'string' } };
  const { url, requests } = await modernServer(() => properties);
  const programs = await temporaryFolder();
  const { said } = await connect(['--cli-mode', '--server-name', 'shop', '--output-dir', programs, '--', url]);
  await until(() => said().includes(programs), 'the command');
  const regional = (region: string) => run(join(programs, 'shop'), ['regional', '--region', region]);
  expect(await regional('a')).toMatchObject({ stdout: '{"region":"a"}' });
  properties = { region: parameter('string', 'Place') };
  expect(await regional('b')).toMatchObject({ stdout: '{"region":"b"}', exitCode: 0 });
  expect(requests.at(-1)!.headers.get('mcp-param-place')).toBe('b');
});
