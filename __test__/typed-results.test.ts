import { describe, expect, it } from 'vitest';
import { type CodeModeOptions, type OriginalStore, transformToolsForCodeMode } from '../host/index.ts';
import { issues } from './support/samples.ts';

/** The answer of a bridge to the typed variant of a tool. */
async function typed(execute: () => unknown, options: Partial<CodeModeOptions> = {}) {
  const tools = { give: { inputSchema: {}, outputSchema: {}, execute } };
  await using code = await transformToolsForCodeMode(tools, { serverName: 'shop', language: 'typescript', shrinkfit: 2000, ...options });
  const response = await fetch(`${code.bridgeUrl}/exec`, {
    method: 'POST',
    headers: { authorization: `Bearer ${code.token}` },
    body: JSON.stringify({ tool: 'give', input: {}, format: 'json' }),
  });
  return (await response.json()) as { result?: string; error?: string; code?: string; notice?: Record<string, unknown>; preview?: string };
}

const [much, little] = [issues(300), issues(2)];
const text = (value: unknown) => ({ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) });
const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
const cut = { complete: false, message: 'Partial view.', response_id: '0f8fad5b-d9cb-869f-a165-70867728950e' };

function hostStore(): OriginalStore {
  const kept = new Map<string, string>();
  return {
    get: (id) => kept.get(id),
    set: (id, original) => void kept.set(id, original),
    delete: (id) => kept.delete(id),
    clear: () => kept.clear(),
  };
}

describe('the typed variant refuses a result that was cut', () => {
  it.each<[string, () => unknown, Partial<CodeModeOptions>?]>([
    ['to a preview', () => much],
    ['to a preview of a list', () => much.issues],
    ['to a preview of JSON in a string', () => JSON.stringify(much)],
    ['to a preview of text', () => 'a line\n'.repeat(5000)],
    ['to its first page', () => much, { mode: 'page' }],
    ['to its first page, of a list', () => much.issues, { mode: 'page' }],
    ['to its first page, of a text', () => 'a line\n'.repeat(5000), { mode: 'page' }],
    ['to its first part', () => much, { mode: 'trim' }],
    ['to its first part, of a list', () => much.issues, { mode: 'trim' }],
    ['to a page by a rule for its tool', () => much, { perTool: { 'gi*': { mode: 'page' } } }],
    ['to its first part by a rule for its tool', () => much, { perTool: { give: { mode: 'trim', shrinkfit: 1000 } } }],
    ['by a rule for its tool alone', () => issues(10), { shrinkfit: 50_000, perTool: { give: { shrinkfit: 1000 } } }],
    ['with its notice in an envelope', () => much.issues, { notice: 'envelope' }],
    ['to what only the model would see', () => much, { target: 'model' }],
    ['with its original nowhere', () => much, { store: false }],
    ['to a first part with its original nowhere', () => much, { store: false, mode: 'page' }],
    ['with its original in a store of the host', () => much, { store: hostStore() }],
    ['as the text of an MCP result', () => ({ content: [text(much)] })],
    ['as a page of the text of an MCP result', () => ({ content: [text(much)] }), { mode: 'page' }],
    ['as one of several texts', () => ({ content: [text('Found:'), text(much)] })],
    ['as structured content', () => ({ content: [text('Found.')], structuredContent: much }), { structured: 'auto' }],
    ['as structured content alone', () => ({ content: [], structuredContent: much }), { structured: 'auto' }],
    ['as structured content that is a list', () => ({ content: [text('x')], structuredContent: much.issues }), { structured: 'auto' }],
    ['as structured content that its text repeats', () => ({ content: [text(much)], structuredContent: much }), { structured: 'auto' }],
    [
      'at the end of a stream',
      async function* () {
        yield 'one moment';
        yield much;
      },
    ],
    ['before it came here, inside', () => ({ issues: [1], truncation: cut })],
    ['before it came here, as the last element', () => [1, { truncation: cut }]],
    ['before it came here, on the last line', () => `1\n${JSON.stringify({ truncation: cut })}`],
    ['before it came here, in a block of its own', () => ({ content: [text([1]), text({ truncation: cut })], structuredContent: [1] })],
    ['before it came here, in _meta', () => ({ content: [text([1])], structuredContent: [1], _meta: { truncation: cut } })],
    ['before it came here, as structured content', () => ({ content: [text('x')], structuredContent: { a: 1, truncation: cut } })],
    [
      'before it came here, to a page',
      () => ({ content: [text({ items: [1], page: { items: '1-1 of 9', total: 9, next_cursor: 'x', note: 'The next page: …' } })] }),
    ],
  ])('%s', async (_, execute, options) => {
    const answer = await typed(execute, options);
    expect(answer).toMatchObject({ code: 'PREVIEW', notice: { complete: false, message: expect.any(String) as string } });
    expect(answer.result).toBeUndefined();
    expect(answer.error).toBe(`the result is only a preview: ${String(answer.notice!.message)}`);
    expect(answer.preview!.length).toBeGreaterThan(0);
    if (options?.store !== false) expect(answer.notice!.response_id ?? answer.notice!.next_cursor).toEqual(expect.any(String));
  });
});

describe('the typed variant gives a result that is whole', () => {
  it.each<[string, () => unknown, unknown, Partial<CodeModeOptions>?]>([
    ['within the budget', () => little, little],
    ['without a budget', () => much, much, { shrinkfit: undefined }],
    ['of a tool that is left alone', () => much, much, { perTool: { give: { skip: true } } }],
    ['with nothing but white space left out', () => JSON.stringify(issues(5), null, 8), issues(5)],
    ['with fields of our names', () => ({ result: [1] }), { result: [1] }],
    ['with structured fields of our names', () => ({ content: [], structuredContent: { result: [1] } }), { result: [1] }],
    ['as structured content that is never touched', () => ({ content: [text(much)], structuredContent: much }), much],
    ['as structured content beside a text that was cut', () => ({ content: [text('x'.repeat(9000))], structuredContent: little }), little],
    ['as structured content beside an image', () => ({ content: [image], structuredContent: little }), little],
    ['where the store failed and results pass', () => much, much, { store: failing() }],
    ['of bytes', () => Buffer.from('{"a":"ü"}'), { a: 'ü' }],
    ['with a page of its own', () => ({ page: { total: 9, note: 'x' } }), { page: { total: 9, note: 'x' } }],
  ])('%s', async (_, execute, expected, options) => {
    const { result, error } = await typed(execute, options);
    expect(error).toBeUndefined();
    expect(JSON.parse(result!)).toEqual(expected);
  });

  it.each<[string, () => unknown, object, Partial<CodeModeOptions>?]>([
    ['a failure of the tool', () => ({ isError: true, content: [text('out of stock')] }), { error: 'out of stock' }],
    [
      'a long failure of the tool',
      () => ({ isError: true, content: [text('out of stock. '.repeat(900))] }),
      { error: expect.stringMatching(/^out of stock/) as string },
      { errors: 'fit' },
    ],
    [
      'a failure that was thrown',
      () => Promise.reject(new Error('no connection. '.repeat(900))),
      { error: expect.stringMatching(/^no connection/) as string },
      { errors: 'fit' },
    ],
    [
      'an image without structured content',
      () => ({ content: [text(little), image] }),
      {
        code: 'INVALID_ANSWER',
        error: 'the result has no structured content, but image beside its text: call the function that returns text',
      },
    ],
  ])('or says what it is: %s', async (_, execute, expected, options) => {
    const answer = await typed(execute, options);
    expect(answer).toMatchObject(expected);
    expect(answer.result).toBeUndefined();
  });
});

function failing(): OriginalStore {
  return { ...hostStore(), set: () => Promise.reject(new Error('full')), onFailure: 'passthrough' };
}
