import { describe, expect, test } from 'vitest';
import { RECOVERY_TOOL as RECOVERY } from '../../host/recover.ts';
import { idOf } from '../support/notice.ts';
import { connect, open, scripted, textOf, until } from './support.ts';

/** The id that a text names. */
const uuidIn = (text: string) => /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(text)![0];

describe('results of one server', () => {
  test('what fits passes byte for byte, whatever it holds', async () => {
    const proxy = open(['--', ...scripted()]);
    await proxy.initialize();
    const expected: [string, string][] = [
      ['novel', '{"content":[{"type":"text","text":"ok"}],"x-new":{"kept":true},"_meta":{"server/key":[1,2]}}'],
      ['numbers', '{"content":[],"structuredContent":{"big":12345678901234567890,"exact":1.0,"far":1e400}}'],
      ['surrogate', '{"content":[{"type":"text","text":"a\\ud800b"}]}'],
    ];
    for (const [at, [name, result]] of expected.entries()) {
      expect(await proxy.call(at + 1, name)).toBe(`{"jsonrpc":"2.0","id":${at + 1},"result":${result}}`);
    }
    expect(await proxy.call('a "b"', 'refuse')).toBe(
      '{"jsonrpc":"2.0","id":"a \\"b\\"","error":{"code":-32050,"message":"refused","data":{"why":["as","asked"],"n":1e+21}}}',
    );
  });

  test('what is too large becomes a preview, and every part of the original can be read', async () => {
    const { call, said } = await connect(['--max-chars', '4000', '--', ...scripted()]);
    const text = textOf(await call('big', { n: 500 }));
    expect(text.length).toBeLessThanOrEqual(4000);
    const preview = JSON.parse(text) as { total: number; truncation: { complete: boolean; response_id: string } };
    expect(preview).toMatchObject({ total: 500, truncation: { complete: false } });

    const recover = (input: object) => call(RECOVERY, { response_id: preview.truncation.response_id, ...input });
    const part = JSON.parse(textOf(await recover({ path: '/records/321' }))) as { part: { id: number } };
    expect(part.part.id).toBe(321);
    const whole = JSON.parse(textOf(await recover({}))) as { content: { text: string }[] };
    expect((JSON.parse(whole.content[0]!.text) as { records: unknown[] }).records).toHaveLength(500);
    const miss = await call(RECOVERY, { response_id: 'not-an-id' });
    expect(miss).toMatchObject({ isError: true });
    expect(said()).toMatch(/scripted\.big: \d+ characters to \d+/);
  });

  test('a structured part that repeats the text goes, a richer one is fitted', async () => {
    const { client, call } = await connect(['--max-chars', '4000', '--', ...scripted()]);
    const both = await call('both');
    expect(both.structuredContent).toBeUndefined();
    expect(textOf(both).length).toBeLessThanOrEqual(4000);
    const richer = await call('richer');
    expect(textOf(richer)).toBe('found 1000');
    expect(JSON.stringify(richer.structuredContent).length).toBeLessThanOrEqual(4000);
    expect(idOf(JSON.stringify(richer.structuredContent))).toBeDefined();
    // Text and structured part fit one by one and not together: the repetition goes.
    const small = await call('both', { n: 9 });
    expect(small.structuredContent).toBeUndefined();
    expect((JSON.parse(textOf(small)) as { records: unknown[] }).records).toHaveLength(9);
    expect((await call('structured')).structuredContent).toEqual({ n: 1 });
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === 'structured')).not.toHaveProperty('outputSchema');
  });

  test('images and blocks for the user alone stay, the text beside them is fitted', async () => {
    const { call } = await connect(['--max-chars', '4000', '--', ...scripted()]);
    const { content, _meta } = await call('image');
    expect(content[0]).toEqual({ type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' });
    expect(content[2]).toEqual({ type: 'text', text: 'x'.repeat(100_000), annotations: { audience: ['user'] } });
    expect(content).toHaveLength(4);
    expect(_meta).toHaveProperty('truncation');
  });

  test('errors keep their cause and stay errors', async () => {
    const { call } = await connect(['--max-chars', '2000', '--', ...scripted()]);
    const result = await call('fail');
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result)).toContain('the disk is full');
    expect(textOf(result).length).toBeLessThanOrEqual(2000);
  });

  test('settings of a tool and of a server go before those of all', async () => {
    const settings = { results: { budget: { chars: 2000 }, perTool: { 'a.big': { mode: 'off' }, 'a.t*': { budget: { chars: 900 } } } } };
    const { call } = await connect([
      '--config',
      JSON.stringify({ servers: { a: { command: scripted(), results: { errors: 'keep' } } }, ...settings }),
    ]);
    expect(textOf(await call('big')).length).toBeGreaterThan(100_000);
    expect(textOf(await call('text')).length).toBeLessThanOrEqual(900);
    expect(textOf(await call('fail')).length).toBeGreaterThan(100_000);
    const both = textOf(await call('both'));
    expect(both.length).toBeLessThanOrEqual(2000);
    expect(both.length).toBeGreaterThan(1000);
  });

  test.each([
    ['claude-code', (text: string) => [text.length, 49_000]],
    ['codex-mcp-client', (text: string) => [Buffer.byteLength(text), 10_000]],
    ['gemini-cli-mcp-client', (text: string) => [text.length, 40_000]],
    ['Cline', (text: string) => [text.length, 8000]],
    ['somebody', (text: string) => [Math.ceil(Buffer.byteLength(text) / 3), 20_000]],
  ] as const)('the client %s gets what it takes', async (name, measure) => {
    const proxy = open(['--', ...scripted()]);
    await proxy.initialize('2025-06-18', { clientInfo: { name, version: '1' } });
    const answer = JSON.parse(await proxy.call(1, 'big', { n: 2000 })) as { result: { content: { text: string }[] } };
    const text = answer.result.content[0]!.text;
    const [size, most] = measure(text) as [number, number];
    expect(size).toBeLessThanOrEqual(most);
    expect(size).toBeGreaterThan(most / 2);
    // Clients that cut long lines find none.
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThan(1000);
  });

  test('pages lead from one to the next, out of what is kept', async () => {
    const { client, call } = await connect(['--mode', 'page', '--max-chars', '20000', '--', ...scripted()]);
    const { tools } = await client.listTools();
    const big = tools.find(({ name }) => name === 'big')!;
    expect(big.inputSchema.properties).toHaveProperty('cursor');
    expect(big.description).toContain('next_cursor');
    const seen: number[] = [];
    let cursor: string | undefined;
    do {
      const text = textOf(await call('big', { n: 300, ...(cursor !== undefined && { cursor }) }));
      expect(text.length).toBeLessThanOrEqual(20_000);
      const { records, page } = JSON.parse(text) as { records: { id: number }[]; page?: { next_cursor?: string } };
      seen.push(...records.map(({ id }) => id));
      cursor = page?.next_cursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(Array.from({ length: 300 }, (_, id) => id));
    expect(await call('big', { n: 300, cursor: 'nonsense' })).toMatchObject({ isError: true });
    // The server never sees the cursor.
    expect(textOf(await call('echo', { a: 1, cursor: '' }))).toBe('{"a":1}');
  });

  test.each(['page', 'trim'])('mode %s: a structured part that says more than the text is not lost', async (mode) => {
    const { call } = await connect(['--mode', mode, '--max-chars', '4000', '--', ...scripted()]);
    const richer = await call('richer');
    expect(textOf(richer)).toBe('found 1000');
    const structured = JSON.stringify(richer.structuredContent);
    expect(structured.length).toBeLessThanOrEqual(4000);
    const found = await call(RECOVERY, { response_id: uuidIn(JSON.stringify(richer)), path: '/structuredContent/records/999' });
    expect(textOf(found)).toContain('Record 999');
  });

  test('only tools that are listed with our cursor have pages', async () => {
    const { client, call, said } = await connect(['--mode', 'page', '--max-chars', '4000', '--', ...scripted()]);
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === 'own-cursor')!.description).not.toContain('next_cursor');
    await until(() => said().includes('own-cursor takes no parameter "cursor" of ours'));
    for (const name of ['own-cursor', 'unlisted']) {
      // The cursor is the server's; what is left out is told with a way to it, and not with a cursor that nobody would take.
      const text = textOf(await call(name, { cursor: 'theirs' }));
      expect(text.length).toBeLessThanOrEqual(4000);
      expect(text).toContain('theirs');
      expect(text).not.toContain('next_cursor');
      expect(textOf(await call(RECOVERY, { response_id: uuidIn(text), path: '/records/499' }))).toContain('Record 499');
    }
  });

  test('pages behind wrappers: the schema that is described has the cursor', async () => {
    const { call } = await connect([
      '--mode',
      'page',
      '--compression',
      'high',
      '--max-chars',
      '20000',
      '--',
      ...scripted('--tools', '200'),
    ]);
    const schema = async (tool_name: string) => textOf(await call('get_tool_schema', { tool_name }));
    expect(JSON.parse(await schema('big'))).toHaveProperty('inputSchema.properties.cursor.description', 'next_cursor of the page before');
    expect(await schema('own-cursor')).not.toContain('next_cursor');
    const page = async (tool_input: object) => textOf(await call('invoke_tool', { tool_name: 'big', tool_input }));
    const { page: first } = JSON.parse(await page({ n: 300 })) as { page: { next_cursor: string } };
    const { page: second } = JSON.parse(await page({ n: 300, cursor: first.next_cursor })) as { page: { items: string } };
    expect(second.items).toMatch(/^(?!1-)\d+-\d+ of 300$/);
  });

  test.each([
    ['trim', (text: string) => text.length <= 3000 && text.startsWith('line 1 of')],
    ['off', (text: string) => text.endsWith('line 5000 of the log')],
  ] as const)('mode %s', async (mode, holds) => {
    const { call } = await connect(['--mode', mode, '--max-chars', '3000', '--', ...scripted()]);
    expect(textOf(await call('text'))).toSatisfy(holds);
  });

  test('with results left alone there is no recovery tool, and TOON may be asked for', async () => {
    const { client, call } = await connect(['--mode', 'off', '--toonify', '--', ...scripted()]);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).not.toContain(RECOVERY);
    expect(tools.find(({ name }) => name === 'structured')).toHaveProperty('outputSchema');
    expect(textOf(await call('big', { n: 3 }))).toMatch(/^records\[3\]\{id,title,body\}:/);
  });
});
