import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { open, scripted, several, until } from './support.ts';

export interface Rpc {
  id?: number;
  method: string;
  params?: { name?: string; arguments?: Record<string, unknown>; _meta?: { progressToken?: unknown } };
}

/** An MCP server over HTTP that answers as `answer` says. */
export async function serve(answer: (message: Rpc, request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer((request, response) => {
    void text(request).then((body) => answer(body === '' ? { method: request.method! } : (JSON.parse(body) as Rpc), request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

const initialized = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'http', version: '1' } };
export const done = (value: string) => ({ content: [{ type: 'text', text: value }] });

/** What a plain server answers to everything but calls. */
export function plainly({ id, method }: Rpc, response: ServerResponse, headers: Record<string, string> = {}) {
  const results: Record<string, object> = {
    initialize: initialized,
    'tools/list': { tools: [{ name: 'run', inputSchema: { type: 'object' } }] },
  };
  const result = results[method];
  if (id === undefined) {
    response.writeHead(method === 'GET' ? 405 : 202).end();
    return;
  }
  response
    .writeHead(200, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify({ jsonrpc: '2.0', id, result: result ?? {} }));
}

/** A proxy that clients reach over HTTP. */
export async function listening(http: object, rest: object = {}, server: string[] | object = scripted('--name', 'a')) {
  const settings = { inbound: { stdio: false, http: { enabled: true, port: 0, ...http } }, results: { budget: { chars: 2000 } }, ...rest };
  const proxy = open(several({ a: server }, settings));
  let url = '';
  await until(() => (url = /listening on (\S+)/.exec(proxy.said())?.[1] ?? '') !== '', 'its address');
  return { proxy, url };
}

export async function visit(url: string, client = new Client({ name: 'visitor', version: '1' })) {
  const transport = new StreamableHTTPClientTransport(new URL(url));
  await client.connect(transport);
  onTestFinished(() => client.close());
  const call = async (name: string, args: object = {}) =>
    (await client.callTool({ name, arguments: args as Record<string, unknown> })) as CallToolResult;
  return { client, transport, call };
}

/** What every POST of a client says. */
export const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** A request as it goes over the wire. */
export function post(url: string, message: object, headers: Record<string, string> = {}) {
  return fetch(url, { method: 'POST', headers: { ...JSON_HEADERS, ...headers }, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
}
