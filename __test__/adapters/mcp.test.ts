import { Client as Client2, InMemoryTransport as Transport2 } from '@modelcontextprotocol/client';
import { McpServer as Server2 } from '@modelcontextprotocol/server';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport as Transport1 } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer as Server1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type McpClientLike, fromMcpClient } from '../../host/adapters/mcp.ts';
import { shrinkfitTools } from '../../host/index.ts';
import { failureOf } from '../support/errors.ts';
import { charsOf, envelopeNotice } from '../support/notice.ts';
import { log } from '../support/samples.ts';

const BUDGET = 2000;
const long = log(300);
const info = { name: 'test', version: '1.0.0' };

/** The same server and client of each version, connected in memory. */
const CONNECT: Record<string, (aborted: () => void) => Promise<McpClientLike>> = {
  async v1(aborted) {
    const server = new Server1(info);
    server.registerTool(
      'search',
      { title: 'Search', description: 'Searches.', inputSchema: { q: z.string() }, annotations: { readOnlyHint: true }, _meta: { own: 1 } },
      ({ q }) => ({ content: [{ type: 'text', text: `${q}\n${long}` }] }),
    );
    server.registerTool('slow', {}, (extra) => {
      extra.signal.addEventListener('abort', aborted);
      return new Promise(() => undefined);
    });
    const [one, other] = Transport1.createLinkedPair();
    const client = new Client1(info);
    await Promise.all([server.connect(one), client.connect(other)]);
    return client;
  },
  async v2(aborted) {
    const server = new Server2(info);
    server.registerTool(
      'search',
      {
        title: 'Search',
        description: 'Searches.',
        inputSchema: z.object({ q: z.string() }),
        annotations: { readOnlyHint: true },
        _meta: { own: 1 },
      },
      ({ q }) => ({ content: [{ type: 'text', text: `${q}\n${long}` }] }),
    );
    server.registerTool('slow', {}, (context) => {
      context.mcpReq.signal.addEventListener('abort', aborted);
      return new Promise(() => undefined);
    });
    const [one, other] = Transport2.createLinkedPair();
    const client = new Client2(info);
    await Promise.all([server.connect(one as never), client.connect(other)]);
    return client;
  },
};

describe.each(Object.entries(CONNECT))('an MCP client, %s', (_, connect) => {
  it('is a map whose tools are fitted and recovered like any others', async () => {
    const { tools } = shrinkfitTools(await fromMcpClient(await connect(() => undefined)), { shrinkfit: BUDGET });
    expect(Object.keys(tools)).toEqual(['search', 'slow', 'compressor_recover_response']);
    const preview = await tools.search!.execute({ q: 'crash' });
    expect(preview.content.reduce((sum, { text }) => sum + charsOf(String(text)), 0)).toBeLessThanOrEqual(BUDGET);
    const { response_id } = envelopeNotice(preview);
    const original = JSON.parse(await tools.compressor_recover_response.execute({ response_id: response_id! })) as typeof preview;
    expect(original.content).toEqual([{ type: 'text', text: `crash\n${long}` }]);
  });

  it('keeps what the server says of a tool', async () => {
    const { search } = await fromMcpClient(await connect(() => undefined));
    expect(search).toMatchObject({
      title: 'Search',
      description: 'Searches.',
      annotations: { readOnlyHint: true },
      _meta: { own: 1 },
      inputSchema: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] },
    });
  });

  it('cancels a call on the server when it is aborted here', async () => {
    let tell: () => void = () => undefined;
    const aborted = new Promise<void>((resolve) => (tell = resolve));
    const { slow } = await fromMcpClient(await connect(() => tell()));
    const controller = new AbortController();
    const call = slow!.execute({}, { abortSignal: controller.signal });
    setTimeout(() => controller.abort(), 50);
    await expect(call).rejects.toThrow();
    await aborted;
  });
});

describe('a list of tools in pages', () => {
  const page = (name: string, nextCursor?: string) => ({ tools: [{ name, inputSchema: { type: 'object' } }], nextCursor });
  const client = (pages: Record<string, ReturnType<typeof page>>): McpClientLike => ({
    listTools: async ({ cursor } = {}) => pages[cursor ?? 'first']!,
    callTool: async () => ({ content: [] }),
  });

  it('is read to its end, an empty cursor included', async () => {
    const tools = await fromMcpClient(client({ first: page('a', ''), '': page('__proto__', 'next'), next: page('c') }));
    expect(Object.keys(tools)).toEqual(['a', '__proto__', 'c']);
  });

  it('that goes round in circles is refused', async () => {
    const failure = await failureOf(() => fromMcpClient(client({ first: page('a', 'b'), b: page('b', 'b') })));
    expect(failure).toMatchObject({ code: 'INVALID_TOOLS' });
  });
});
