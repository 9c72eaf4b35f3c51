import { describe, expect, it, vi } from 'vitest';
import * as zod from 'zod';
import * as zodV3 from 'zod-v3';
import { compressTools, resolveSchemas, shrinkfitTools } from '../host/index.ts';
import { failureOf } from './support/errors.ts';
import { charsOf, idOf, partOf } from './support/notice.ts';
import { issues, log } from './support/samples.ts';

const filler = { type: 'string', description: 'A long explanation of a parameter that costs its readers many words. '.repeat(3) };

/** Six tools, large enough to be worth compressing. */
function shop() {
  const search = {
    description: 'Finds items, e.g. bolts, by words. The words may be in any order.',
    inputSchema: {
      type: 'object',
      properties: { query: filler, max_results: { type: 'integer' }, filter: { type: 'object' } },
      required: ['query'],
    },
    annotations: { readOnlyHint: true },
    execute: async (input: unknown): Promise<unknown> => ({ got: input }),
  };
  const others = Object.fromEntries(
    ['list', 'order', 'cancel', 'refund'].map((name) => [
      name,
      {
        description: `${name}s a thing. With care.`,
        inputSchema: { type: 'object', properties: { id: filler } },
        execute: async () => name,
      },
    ]),
  );
  return { search, ...others };
}

describe('the surface', () => {
  it.each([
    ['low', 'search(query, max_results?, filter?): Finds items, e.g. bolts, by words. The words may be in any order.'],
    ['medium', 'search(query, max_results?, filter?): Finds items, e.g. bolts, by words.'],
    ['high', 'search(query, max_results?, filter?)'],
  ] as const)('at the level %s is two tools and a line for each that they stand for', (compressionLevel, line) => {
    const tools = compressTools(shop(), { compressionLevel });
    expect(Object.keys(tools)).toEqual(['get_tool_schema', 'invoke_tool']);
    expect(tools.get_tool_schema.description).toContain(`\n<tool>${line}</tool>\n`);
    expect(tools.get_tool_schema.description.split('\n')).toHaveLength(6);
  });

  it('at the level max lists names only on request', async () => {
    const tools = compressTools(shop(), { compressionLevel: 'max' });
    expect(Object.keys(tools)).toEqual(['get_tool_schema', 'invoke_tool', 'list_tools']);
    expect(tools.get_tool_schema.description).not.toContain('search');
    expect(await tools.list_tools?.execute({})).toBe('search\nlist\norder\ncancel\nrefund');
  });

  it('is medium by default, and is the same bytes every time', () => {
    const texts = [undefined, 'medium', undefined].map((compressionLevel) =>
      JSON.stringify(compressTools(shop(), { compressionLevel: compressionLevel as 'medium' | undefined })),
    );
    expect(new Set(texts).size).toBe(1);
  });

  it('has a prefix where one is given, made fit for model APIs', async () => {
    const tools = compressTools(shop(), { namePrefix: 'alpha' });
    expect(Object.keys(tools)).toEqual(['alpha_get_tool_schema', 'alpha_invoke_tool']);
    expect(await tools.alpha_invoke_tool.execute({ tool_name: 'list', tool_input: {} })).toBe('list');
    expect(Object.keys(compressTools(shop(), { namePrefix: 'My Server! ' }))).toEqual([
      'My_Server_get_tool_schema',
      'My_Server_invoke_tool',
    ]);
  });

  it('keeps tools beside it that need an approval or run elsewhere, so that nothing is bypassed', async () => {
    const pay = { description: 'Pays.', inputSchema: {}, needsApproval: true, execute: async () => 'paid' };
    const transfer = { description: 'Transfers.', inputSchema: {}, requireApproval: true, execute: async () => 'sent' };
    const picker = { description: 'Runs in the browser.', inputSchema: {} };
    const tools = compressTools({ ...shop(), pay, transfer, picker });
    expect(Object.keys(tools)).toEqual(['pay', 'transfer', 'picker', 'get_tool_schema', 'invoke_tool']);
    expect([tools.pay, tools.transfer, tools.picker]).toEqual([pay, transfer, picker]);
    expect(tools.get_tool_schema.description).not.toContain('pay');
    expect(await failureOf(() => tools.invoke_tool.execute({ tool_name: 'pay', tool_input: {} }))).toMatchObject({ code: 'UNKNOWN_TOOL' });
  });

  it('gives way to a tool of the same name that stays', () => {
    const tools = compressTools({ ...shop(), invoke_tool: { description: 'Mine.', needsApproval: true, execute: async () => 1 } });
    expect(Object.keys(tools)).toEqual(['invoke_tool', 'get_tool_schema', 'invoke_tool_2']);
    expect(tools.get_tool_schema.description).toContain('Tools:');
  });

  it('lists a few small tools as they are, says so, and can be called all the same', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const ping = { description: 'Pings.', inputSchema: { type: 'object' }, execute: async () => 'pong' };
    const tools = compressTools({ ping });
    expect(Object.keys(tools)).toEqual(['ping']);
    expect(tools.ping).toBe(ping);
    expect(warn.mock.calls[0]?.[0]).toContain('lists the tool as it is');
    warn.mockRestore();
    expect(await tools.invoke_tool.execute({ tool_name: 'ping' })).toBe('pong');
  });

  it('takes a map without a prototype and names like __proto__', async () => {
    const map = Object.assign(Object.create(null) as Record<string, unknown>, shop());
    Object.defineProperty(map, '__proto__', { enumerable: true, value: { inputSchema: {}, execute: async () => 'proto' } });
    const tools = compressTools(map) as ReturnType<typeof compressTools<object>>;
    expect(await tools.invoke_tool.execute({ tool_name: '__proto__', tool_input: {} })).toBe('proto');
  });
});

describe('get_tool_schema', () => {
  it('answers with description, complete schema, annotations and output schema', async () => {
    const map = { ...shop(), weigh: { inputSchema: {}, outputSchema: { type: 'object' }, execute: async () => 1 } };
    const tools = compressTools(map);
    const { description, inputSchema, annotations } = map.search;
    expect(JSON.parse(await tools.get_tool_schema.execute({ tool_name: 'search' }))).toEqual({
      name: 'search',
      description,
      inputSchema,
      annotations,
    });
    expect(JSON.parse(await tools.get_tool_schema.execute({ tool_name: 'weigh' }))).toMatchObject({ outputSchema: { type: 'object' } });
  });

  it('answers to an unknown name with the three closest', async () => {
    const failure = await failureOf(() => compressTools(shop()).get_tool_schema.execute({ tool_name: 'serch' }));
    expect(failure).toMatchObject({ code: 'UNKNOWN_TOOL', message: expect.stringContaining('the closest are search, ') as string });
    expect(failure.message.split(', ')).toHaveLength(3);
  });
});

describe('invoke_tool', () => {
  const invoke = (input: object) => compressTools(shop()).invoke_tool.execute(input as never) as Promise<{ got: unknown }>;

  it.each([
    ['an object', { query: 'bolt', filter: { a: 1 } }, { query: 'bolt', filter: { a: 1 } }],
    ['JSON text', '{"query":"bolt"}', { query: 'bolt' }],
    [
      'a field that is JSON text where the schema wants an object',
      { query: '{"a":1}', filter: '{"a":1}' },
      { query: '{"a":1}', filter: { a: 1 } },
    ],
  ])('takes %s', async (_, sent, expected) => {
    expect((await invoke({ tool_name: 'search', tool_input: sent })).got).toEqual(expected);
  });

  it.each([[{}], [undefined], ['{}'], [{ max_results: 1 }]])('answers %j with what is missing, before the tool runs', async (sent) => {
    const failure = await failureOf(() => invoke({ tool_name: 'search', tool_input: sent }));
    expect(failure.code).toBe('INVALID_INPUT');
    expect(failure.message).toMatch(/^search was not run: tool_input lacks "query"\. Its input schema: \{"type":"object"/);
  });

  it('refuses what is no object, and a call without a name', async () => {
    expect(await failureOf(() => invoke({ tool_name: 'search', tool_input: [1] }))).toMatchObject({ code: 'INVALID_INPUT' });
    expect(await failureOf(() => invoke({ tool_input: {} }))).toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('passes on what the host hands over beside the input, and the tool as this', async () => {
    const seen: unknown[] = [];
    const probe = {
      inputSchema: {},
      execute(this: unknown, ...args: unknown[]) {
        seen.push(this, ...args);
      },
    };
    const options = { toolCallId: '1', abortSignal: new AbortController().signal };
    await compressTools({ ...shop(), probe }).invoke_tool.execute({ tool_name: 'probe', tool_input: { a: 1 } }, options);
    expect(seen).toEqual([probe, { a: 1 }, options]);
    expect(seen[2]).toBe(options);
  });

  it('gives the last value of a tool that streams', async () => {
    const stream = {
      inputSchema: {},
      async *execute() {
        yield 'first';
        yield 'last';
      },
    };
    expect(await compressTools({ ...shop(), stream }).invoke_tool.execute({ tool_name: 'stream' })).toBe('last');
  });

  it('lets a tool’s own error through', async () => {
    const fault = new Error('out of stock');
    const broken = { inputSchema: {}, execute: () => Promise.reject(fault) };
    await expect(compressTools({ ...shop(), broken }).invoke_tool.execute({ tool_name: 'broken' })).rejects.toBe(fault);
  });
});

describe('schemas', () => {
  const execute = async (input: unknown) => input;
  const call = (tool: object, input: unknown) =>
    compressTools({ ...shop(), probe: { ...tool, execute } }).invoke_tool.execute({ tool_name: 'probe', tool_input: input });

  it.each<[string, object]>([
    ['zod 4', { inputSchema: zod.object({ id: zod.string(), n: zod.number().default(7) }) }],
    ['zod 3', { inputSchema: zodV3.z.object({ id: zodV3.z.string(), n: zodV3.z.number().default(7) }) }],
    ['the AI SDK 4’s place', { parameters: zod.object({ id: zod.string(), n: zod.number().default(7) }) }],
    ['LangChain’s place', { schema: zod.object({ id: zod.string(), n: zod.number().default(7) }) }],
  ])('of %s are listed, checked and give their defaults', async (_, tool) => {
    const map = { ...shop(), probe: { ...tool, execute } };
    expect(compressTools(map).get_tool_schema.description).toContain('<tool>probe(id, n?)</tool>');
    expect(await call(tool, { id: 'x' })).toEqual({ id: 'x', n: 7 });
    expect(await failureOf(() => call(tool, { id: 5 }))).toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('of the AI SDK are taken, lazy ones included', async () => {
    const { jsonSchema } = await import('ai');
    const schema = jsonSchema<{ id: string }>({ type: 'object', properties: { id: { type: 'string' } }, required: ['id'] });
    for (const inputSchema of [schema, () => schema]) {
      expect(compressTools({ ...shop(), probe: { inputSchema, execute } }).get_tool_schema.description).toContain('<tool>probe(id)</tool>');
    }
  });

  it('that are promises are named, and taken after resolveSchemas', async () => {
    const { jsonSchema } = await import('ai');
    const inputSchema = jsonSchema(() => Promise.resolve({ type: 'object' as const, properties: { id: { type: 'string' as const } } }));
    const map = { ...shop(), probe: { inputSchema, execute } };
    const failure = await failureOf(async () => compressTools(map));
    expect(failure).toMatchObject({ code: 'INVALID_TOOLS', message: expect.stringMatching(/"probe".*await resolveSchemas/) as string });
    const resolved = await resolveSchemas(map);
    expect(resolved.search).toBe(map.search);
    expect(compressTools(resolved).get_tool_schema.description).toContain('<tool>probe(id?)</tool>');
  });

  it('of no known kind are named, and taken through schemaAdapter', async () => {
    const map = { ...shop(), probe: { inputSchema: { fields: ['id'] }, execute } };
    expect(await failureOf(async () => compressTools(map))).toMatchObject({
      code: 'INVALID_TOOLS',
      message: expect.stringMatching(/"probe".*schemaAdapter/) as string,
    });
    const schemaAdapter = (schema: unknown) =>
      'fields' in (schema as object) ? { type: 'object', properties: { id: {} }, required: ['id'] } : undefined;
    expect(compressTools(map, { schemaAdapter }).get_tool_schema.description).toContain('<tool>probe(id)</tool>');
  });
});

describe('with a budget', () => {
  const budget = { shrinkfit: 2000 };
  const map = (result: unknown) => ({ ...shop(), probe: { inputSchema: {}, execute: async () => result } });
  const probe = (result: unknown) => compressTools(map(result), budget);
  const recover = (tools: ReturnType<typeof probe>, text: unknown, part: object = {}) =>
    tools.invoke_tool.execute({ tool_name: 'compressor_recover_response', tool_input: { response_id: idOf(String(text)), ...part } });

  it('fits results and recovers originals through invoke_tool', async () => {
    const original = JSON.stringify(issues(2000));
    const tools = probe(original);
    expect(tools.get_tool_schema.description).toContain('<tool>compressor_recover_response(response_id');
    const preview = (await tools.invoke_tool.execute({ tool_name: 'probe' })) as string;
    expect(preview.length).toBeLessThanOrEqual(2000);
    expect(await recover(tools, preview)).toBe(original);
    expect(partOf((await recover(tools, preview, { path: '/issues/1500' })) as string)).toEqual(issues(2000).issues[1500]);
    expect(await recover(tools, preview, { search: 'PROJ-1777' })).toContain('PROJ-1777');
  });

  it.each([
    ['an array', JSON.stringify(Array.from({ length: 500 }, (_, n) => ({ n, name: `item ${n}` })))],
    ['a log', log(300)],
    ['an object', JSON.stringify(issues(2000))],
  ])('gives an envelope with %s as one string with the notice inside; the original is the envelope', async (_, text) => {
    const envelope = { content: [{ type: 'text', text }], structuredContent: { kept: true }, _meta: { a: 1 } };
    const tools = probe(envelope);
    const preview = await tools.invoke_tool.execute({ tool_name: 'probe' });
    expect(preview).toBeTypeOf('string');
    expect(charsOf(preview as string)).toBeLessThanOrEqual(2000);
    if (text.startsWith('[') || text.startsWith('{')) expect(JSON.parse(preview as string)).toBeDefined();
    expect(JSON.parse((await recover(tools, preview)) as string)).toEqual(envelope);
  });

  it('leaves small results, errors and media as they are', async () => {
    for (const value of [
      'short',
      { a: 1 },
      { content: [{ type: 'text', text: log(300) }], isError: true },
      { content: [{ type: 'image', data: 'x'.repeat(9000), mimeType: 'image/png' }] },
    ]) {
      expect(await probe(value).invoke_tool.execute({ tool_name: 'probe' })).toBe(value);
    }
  });

  it('takes a map of shrinkfitTools without shrinkfit, and refuses it with', async () => {
    const wrapped = shrinkfitTools(map({ content: [{ type: 'text', text: log(300) }] }), budget);
    const tools = compressTools(wrapped.tools);
    const preview = (await tools.invoke_tool.execute({ tool_name: 'probe' })) as string;
    expect(preview.length).toBeLessThanOrEqual(2000);
    expect(JSON.parse((await recover(tools as never, preview)) as string)).toHaveProperty('content');
    expect(await failureOf(async () => compressTools(wrapped.tools, budget))).toMatchObject({ code: 'ALREADY_WRAPPED' });
    wrapped.close();
    expect(await failureOf(() => tools.invoke_tool.execute({ tool_name: 'probe' }))).toMatchObject({ code: 'CLOSED' });
  });
});

describe('toonify', () => {
  const rows = [
    { id: 1, name: 'bolt' },
    { id: 2, name: 'nut' },
  ];
  const call = async (result: unknown, options: object) =>
    compressTools({ ...shop(), probe: { inputSchema: {}, execute: async () => result } }, options).invoke_tool.execute({
      tool_name: 'probe',
    });

  it.each<[string, unknown, boolean | 'csv', string]>([
    ['a value', rows, true, '[2]{id,name}:\n  1,bolt\n  2,nut'],
    ['JSON text', JSON.stringify({ rows }), true, 'rows[2]{id,name}:\n  1,bolt\n  2,nut'],
    ['an envelope', { content: [{ type: 'text', text: JSON.stringify(rows) }] }, true, '[2]{id,name}:\n  1,bolt\n  2,nut'],
    ['a table', rows, 'csv', 'id,name\n1,bolt\n2,nut\n'],
  ])('renders %s', async (_, result, toonify, expected) => {
    expect(await call(result, { toonify })).toBe(expected);
  });

  it('leaves text, errors, media and fitted results as they are', async () => {
    for (const value of ['plain', 5, { content: [{ type: 'text', text: JSON.stringify(rows) }], isError: true }, undefined]) {
      expect(await call(value, { toonify: true })).toBe(value);
    }
    expect(await call(rows, { toonify: true, shrinkfit: 2000 })).toBe(rows);
  });
});

describe('options', () => {
  it.each([
    [{ compressionLevel: 'huge' }, /compressionLevel must be "low" or "medium" or "high" or "max", not "huge"/],
    [{ toonify: 'xml' }, /toonify must be true, false or "csv"/],
    [{ namePrefix: 5 }, /namePrefix must be a string, not 5/],
    [{ schemaAdapter: {} }, /schemaAdapter must be a function/],
    [{ compresionLevel: 'low' }, /did you mean compressionLevel\?/],
    [{ shrinkfit: 0 }, /shrinkfit must be a positive integer/],
  ])('%j are refused', async (options, message) => {
    expect(await failureOf(async () => compressTools(shop(), options as never))).toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringMatching(message) as string,
    });
  });
});
