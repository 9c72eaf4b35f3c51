import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CompressorClient, type ClientSession, type Servers } from '../host/client.ts';
import { failureOf } from './support/errors.ts';
import { charsOf, envelopeNotice } from './support/notice.ts';
import { issues, log } from './support/samples.ts';

const BUDGET = 2000;
const long = log(300);
const filesystem = fileURLToPath(new URL('../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js', import.meta.url));

let folder: string;
const sessions: ClientSession[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'snugfit-'));
  await writeFile(join(folder, 'build.log'), long);
});
afterAll(async () => {
  await Promise.all(sessions.map((session) => session.close()));
  await rm(folder, { recursive: true });
});

async function connect(options: Partial<ConstructorParameters<typeof CompressorClient>[0]> = {}): Promise<ClientSession> {
  const files = { command: process.execPath, args: [filesystem, folder] };
  const session = await new CompressorClient({ servers: files, shrinkfit: BUDGET, ...options }).connect();
  sessions.push(session);
  return session;
}

describe('a session with a real server', () => {
  it('fits what tools return, gives it whole where that is asked for, and recovers it', async () => {
    const session = await connect();
    const path = join(folder, 'build.log');
    const preview = (await session.invoke('read_text_file', { path })) as { content: { type: string; text: string }[] };
    expect(preview.content.reduce((sum, { text }) => sum + charsOf(text), 0)).toBeLessThanOrEqual(BUDGET);
    const full = (await session.invoke('read_text_file', { path }, { full: true })) as typeof preview;
    expect(full.content[0]!.text).toBe(long);
    const { response_id } = envelopeNotice(preview);
    expect(JSON.parse((await session.invoke('compressor_recover_response', { response_id })) as string)).toEqual(full);
  });

  it('of several servers names each tool after its server; a choice of tools counts for either name', async () => {
    const server = { command: process.execPath, args: [filesystem, folder] };
    const session = await connect({
      servers: { one: server, two: server },
      includeTools: ['*read_text_file', 'two_*'],
      excludeTools: ['*write*'],
    });
    expect(Object.keys(session.tools).filter((name) => name.startsWith('one_'))).toEqual(['one_read_text_file']);
    expect(session.tools).toHaveProperty('two_list_directory');
    expect(session.tools).not.toHaveProperty('two_write_file');
    expect(await session.invoke('list_directory', { path: folder }, { server: 'two' })).toMatchObject({
      content: [{ text: '[FILE] build.log' }],
    });
    const failure = await failureOf(() => session.invoke('two_list_directry', {}));
    expect(failure).toMatchObject({ code: 'UNKNOWN_TOOL', message: expect.stringContaining('did you mean two_list_directory') as string });
  });

  it('compresses the tools that a model is told of', async () => {
    const session = await connect({ compressionLevel: 'high' });
    expect(Object.keys(session.tools).sort()).toEqual(['get_tool_schema', 'invoke_tool']);
    const output = await session.tools.invoke_tool!.execute({
      tool_name: 'read_text_file',
      tool_input: { path: join(folder, 'build.log') },
    });
    expect(JSON.stringify(output)).toContain('compressor_recover_response');
  });

  it.each(['typescript', 'python', 'cli'] as const)('writes a client in %s, which ends with the session', async (kind) => {
    const session = await connect();
    const place = await mkdtemp(join(tmpdir(), 'snugfit-client-'));
    const mode = await (kind === 'cli' ? session.writeClient(kind, place) : session.writeClient(kind, place));
    const name = { typescript: 'server.ts', python: 'server.py', cli: 'server' }[kind];
    expect(mode.paths[0]).toBe(join(place, name));
    expect(mode.files[name]).toContain({ typescript: 'readTextFile', python: 'def read_text_file', cli: '/bin/sh' }[kind]);
    expect((await fetch(`${mode.bridgeUrl}/health`)).status).toBe(200);
    await session.close();
    await expect(fetch(`${mode.bridgeUrl}/health`)).rejects.toThrow();
    await rm(place, { recursive: true });
  });

  it('knows what clients there are', async () => {
    const session = await connect();
    const failure = await failureOf(() => session.writeClient('ruby' as 'cli', folder));
    expect(failure).toMatchObject({ code: 'INVALID_OPTION', message: 'kind must be "cli" or "typescript" or "python", not "ruby".' });
  });

  it('gives a model the help of one command', async () => {
    const session = await connect({ mode: 'cli' });
    expect(Object.keys(session.tools)).toEqual(['server_help']);
    expect(session.tools.server_help!.description).toContain('read-text-file');
  });

  it('renders results as TOON where they are not fitted', async () => {
    await writeFile(join(folder, 'rows.json'), JSON.stringify(issues(3).issues));
    const path = join(folder, 'rows.json');
    const session = await connect({ shrinkfit: undefined, mode: 'compressed', toonify: true });
    const toon = await session.invoke('read_text_file', { path });
    expect(toon).toMatch(/^\[3\]\{key,title,state,body\}:\n {2}PROJ-1,/);
    expect(await session.tools.invoke_tool!.execute({ tool_name: 'read_text_file', tool_input: { path } })).toBe(toon);
    expect(await session.invoke('read_text_file', { path }, { full: true })).toMatchObject({ content: [{ type: 'text' }] });
  });

  it('says what is wrong when a server cannot be started', async () => {
    await expect(
      new CompressorClient({ servers: { files: { command: '/nowhere/server', args: ['--token', 's3cret'] } } }).connect(),
    ).rejects.toMatchObject({
      code: 'SERVER_FAILED',
      message: 'no connection to the server "files" (/nowhere/server): spawn /nowhere/server ENOENT',
      cause: { code: 'ENOENT' },
    });
  });

  it('is over after close', async () => {
    const session = await connect();
    await session.close();
    await session.close();
    await expect(session.invoke('list_directory', { path: folder })).rejects.toThrow();
  });
});

describe('a server over HTTP', () => {
  it('that is not there is named, without what is secret in its URL', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => closed.once('listening', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const failure = await failureOf(() => new CompressorClient({ servers: `http://127.0.0.1:${port}/mcp?key=s3cret` }).connect());
    expect(failure).toMatchObject({
      code: 'SERVER_FAILED',
      message: `no connection to the server "server" (http://127.0.0.1:${port}/mcp): fetch failed: connect ECONNREFUSED 127.0.0.1:${port}`,
    });
  });

  it('is asked with headers that are renewed when it refuses them', async () => {
    const seen: (string | undefined)[] = [];
    const results: Record<string, object> = {
      initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'http', version: '1' } },
      'tools/list': { tools: [{ name: 'ping', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'text', text: 'pong' }] },
    };
    const server = createServer((request, response) => {
      seen.push(request.headers.authorization);
      if (request.headers.authorization !== 'Bearer 2') return void response.writeHead(401).end();
      if (request.method !== 'POST') return void response.writeHead(405).end();
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const { id, method } = JSON.parse(body) as { id?: number; method: string };
        if (id === undefined) return void response.writeHead(202).end();
        const result = results[method];
        const answer = result ? { result } : { error: { code: -32601, message: 'no such method' } };
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
      });
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    let asked = 0;
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    const session = await connect({ servers: { url, headers: () => ({ authorization: `Bearer ${++asked}` }) } });
    expect(await session.invoke('ping')).toMatchObject({ content: [{ text: 'pong' }] });
    expect(asked).toBe(2);
    expect(seen.slice(0, 2)).toEqual(['Bearer 1', 'Bearer 2']);
    await session.close();
    server.close();
    server.closeAllConnections();
  });
});

describe('options', () => {
  it.each<[object, string]>([
    [{ mode: 'bash' }, 'mode must be "tools" or "compressed" or "cli" or "condense" or "page" or "trim", not "bash".'],
    [{ toonify: 'yes' }, 'toonify must be true, false or "csv", not "yes".'],
  ])('%j is refused', async (options, message) => {
    const failure = await failureOf(() => new CompressorClient({ servers: 'http://localhost:1', ...options }));
    expect(failure).toMatchObject({ code: 'INVALID_OPTION', message });
  });
});

describe('servers', () => {
  it.each<[unknown, string]>([
    [7, 'servers must be a URL, a server, a map of servers by name, or the JSON of an mcpServers file, not 7.'],
    [{}, 'servers must name at least one server.'],
    ['{"mcpServers":{}}', 'servers must name at least one server.'],
    ['not a url', 'servers.url must be a URL such as http://localhost:8080/mcp, not "not a url".'],
    [{ a: { url: 'http://x', header: {} } }, 'servers.a.header is no option: did you mean headers?'],
    [{ a: { command: 'x', args: [1] } }, 'servers.a.args[0] must be a string, not 1.'],
  ])('%j are refused', async (servers, message) => {
    const failure = await failureOf(() => new CompressorClient({ servers: servers as Servers }));
    expect(failure).toMatchObject({ code: 'INVALID_OPTION', message });
  });
});
