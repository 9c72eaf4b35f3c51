import type { Client, StreamableHTTPClientTransport, Transport } from '@modelcontextprotocol/client';
import { importPeer } from './adapters/peer.ts';
import { checkKeys, invalidOption, text, texts } from './check.ts';
import { SnugfitError, messageOf } from './errors.ts';
import { isObject } from './value.ts';

/** A server that is started as a process and spoken to over its standard streams. */
export interface StdioServer {
  command: string;
  args?: readonly string[] | undefined;
  env?: Record<string, string> | undefined;
  cwd?: string | undefined;
}

/** Headers that change: asked when the first request is made, and again whenever the server refuses them (401). */
export type HeaderProvider = () => Record<string, string> | Promise<Record<string, string>>;

/** A server behind a URL, over streamable HTTP. */
export interface HttpServer {
  url: string | URL;
  headers?: Record<string, string> | HeaderProvider | undefined;
}

/** A server. */
export type Server = StdioServer | HttpServer;

/** Servers in any of the forms in which they are written. */
export type Servers = string | URL | Server | Record<string, Server> | { mcpServers: Record<string, Server> };

/** Large results are what this is for: the MCP client would drop messages over 10 MB. */
const MOST_BYTES = 256 << 20;
const NEEDS = 'snugfit/client';

/** Checks servers and brings them into the one form. */
export function parseServers(servers: unknown): Map<string, Server> {
  if (typeof servers === 'string' && servers.trimStart().startsWith('{')) return parseServers(parseJson(servers));
  if (typeof servers === 'string' || servers instanceof URL) return new Map([['server', parseServer('servers', { url: servers })]]);
  if (!isObject(servers) || Array.isArray(servers))
    throw invalidOption('servers', servers, 'a URL, a server, a map of servers by name, or the JSON of an mcpServers file');
  if ('mcpServers' in servers) return parseServers(servers.mcpServers);
  if (typeof servers.command === 'string' || typeof servers.url === 'string' || servers.url instanceof URL)
    return new Map([['server', parseServer('servers', servers)]]);
  const parsed = new Map(Object.entries(servers).map(([name, server]) => [name, parseServer(`servers.${name}`, server)]));
  if (parsed.size === 0) throw new SnugfitError('INVALID_OPTION', 'servers must name at least one server.');
  return parsed;
}

function parseServer(option: string, server: unknown): Server {
  if (!isObject(server)) throw invalidOption(option, server, 'an object with a command or a url');
  if ('command' in server) {
    checkKeys(option, server, ['command', 'args', 'env', 'cwd', 'type']);
    text(`${option}.command`, server.command);
    if (server.args !== undefined) texts(`${option}.args`, server.args);
    return server as unknown as StdioServer;
  }
  checkKeys(option, server, ['url', 'headers', 'type']);
  const { url, headers } = server;
  if (!(url instanceof URL) && !(typeof url === 'string' && URL.canParse(url)))
    throw invalidOption(`${option}.url`, url, 'a URL such as http://localhost:8080/mcp');
  if (headers !== undefined && typeof headers !== 'function' && !isObject(headers))
    throw invalidOption(`${option}.headers`, headers, 'an object of headers, or a function that gives one');
  return server as unknown as HttpServer;
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (thrown) {
    throw new SnugfitError('INVALID_OPTION', `servers is no JSON: ${messageOf(thrown)}`, { cause: thrown });
  }
}

/** Where a server is, without what may be secret. */
export function placeOf(server: Server): string {
  if ('command' in server) return server.command;
  const { origin, pathname } = new URL(server.url);
  return `${origin}${pathname}`;
}

/** The way to a server, not yet connected. */
export async function openTransport(server: Server): Promise<Transport> {
  if ('command' in server) {
    const { StdioClientTransport } = await importPeer(
      '@modelcontextprotocol/client',
      NEEDS,
      () => import('@modelcontextprotocol/client/stdio'),
    );
    const { command, args = [], env, cwd } = server;
    return new StdioClientTransport({ command, args: [...args], ...(env && { env }), ...(cwd && { cwd }), maxBufferSize: MOST_BYTES });
  }
  const { StreamableHTTPClientTransport } = await importPeer(
    '@modelcontextprotocol/client',
    NEEDS,
    () => import('@modelcontextprotocol/client'),
  );
  const { url, headers } = server;
  const given = typeof headers === 'function' ? { fetch: withHeaders(headers) } : { requestInit: { headers: headers ?? {} } };
  return new StreamableHTTPClientTransport(new URL(url), given);
}

/** Ends a session on both sides: over HTTP the server is told, if it listens. */
export async function closeTransport(client: Client, transport: Transport): Promise<void> {
  if ('terminateSession' in transport) await (transport as StreamableHTTPClientTransport).terminateSession().catch(() => undefined);
  await client.close();
}

/** A `fetch` with headers that are asked for again when the server refuses them. */
function withHeaders(provider: HeaderProvider): (url: string | URL, init?: RequestInit) => Promise<Response> {
  let asked: Promise<Record<string, string>> | undefined;
  const send = async (url: string | URL, init: RequestInit = {}) => {
    asked ??= Promise.resolve(provider());
    // A failure is not kept: the next request asks again.
    const current = await asked.catch((thrown: unknown) => {
      asked = undefined;
      throw thrown;
    });
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(current)) headers.set(name, value);
    return fetch(url, { ...init, headers });
  };
  return async (url, init) => {
    const response = await send(url, init);
    if (response.status !== 401) return response;
    await response.body?.cancel();
    asked = undefined;
    return send(url, init);
  };
}
