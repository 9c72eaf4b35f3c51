import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listing } from './listing.mjs';

const FOLDER = 'node_modules';
/** What a token is taken for: three bytes. */
const TOKEN_BYTES = 3;
const MOST_TOKENS = 20_000;

interface Page {
  items: { path: string }[];
  page: { total: number; next_cursor?: string };
}

describe.each([
  ['1', 'server-v1.mjs', ['shape', 'shape3', 'object', 'none']],
  ['2', 'server-v2.mjs', ['object', 'shape', 'standard', 'none']],
])('paginateTool in a server of the MCP SDK %s', (_, server, names) => {
  const client = new Client({ name: 'test', version: '1.0.0' });
  beforeAll(async () => {
    const file = fileURLToPath(new URL(server, import.meta.url));
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [file], stderr: 'inherit' }));
  });
  afterAll(() => client.close());

  const call = async (name: string, args: Record<string, unknown>) => {
    const result = (await client.callTool({ name, arguments: args })) as {
      content: { type: string; text: string }[];
      isError?: boolean;
      structuredContent?: unknown;
    };
    expect(result.content).toHaveLength(1);
    expect(result.structuredContent).toBeUndefined();
    return { text: result.content[0]!.text, isError: result.isError === true };
  };

  it('says in every schema how to go on', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(names);
    for (const { name, description, inputSchema, outputSchema } of tools) {
      const { properties = {}, required = [] } = inputSchema as { properties?: Record<string, unknown>; required?: string[] };
      expect(properties, name).toHaveProperty('cursor.type', 'string');
      expect(required).toEqual(name === 'none' ? [] : ['folder']);
      expect(description).toContain('the cursor that the page gives as next_cursor');
      expect(outputSchema).toBeUndefined();
    }
  });

  it('leads a client through all pages of a result of more than a million tokens', { timeout: 300_000 }, async () => {
    const expected = listing(FOLDER).map(({ path }) => path);
    const seen: string[] = [];
    let pages = 0;
    for (let cursor: string | undefined = ''; cursor !== undefined; pages++) {
      const { text } = await call(names[0]!, { folder: FOLDER, ...(cursor !== '' && { cursor }) });
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MOST_TOKENS * TOKEN_BYTES);
      const { items, page } = JSON.parse(text) as Page;
      expect(page.total).toBe(expected.length);
      seen.push(...items.map(({ path }) => path));
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(expected);
    expect(pages).toBeGreaterThan(10);
  });

  it.each(names.filter((name) => name !== 'none'))(
    'goes on with %s, checks its own arguments, and refuses a cursor that is none',
    async (name) => {
      const small = JSON.parse((await call(name, { folder: 'node_modules/zod' })).text) as Page;
      const second = await call(name, { folder: 'node_modules/zod', cursor: small.page.next_cursor });
      expect((JSON.parse(second.text) as Page).items[0]!.path).toBe(listing('node_modules/zod')[small.items.length]!.path);
      const refused = await call(name, { folder: 'node_modules/zod', cursor: 'garbage' });
      expect(refused).toEqual({ isError: true, text: expect.stringContaining('without a cursor to start from the beginning') as string });
      const wrong = await client
        .callTool({ name, arguments: { folder: 7, cursor: '' } })
        .catch((thrown: unknown) => ({ isError: true, thrown }));
      expect(wrong.isError).toBe(true);
    },
  );
});
