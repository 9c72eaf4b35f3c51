import { describe, expect, it } from 'vitest';
import { type RecoverInput, shrinkfitTools } from '../host/index.ts';
import { failureOf } from './support/errors.ts';
import { charsOf, envelopeNotice, idOf, noticeOf } from './support/notice.ts';
import { issues, log } from './support/samples.ts';

type Selection = Omit<RecoverInput, 'response_id'>;

/** A preview of a result, and a reader of its original. */
async function shortened(result: unknown, options: object = {}) {
  const { tools } = shrinkfitTools({ probe: { execute: async () => result } }, { shrinkfit: 2000, ...options });
  const preview = await tools.probe.execute();
  const notice = typeof preview === 'string' ? noticeOf(preview) : envelopeNotice(preview as never);
  const read = (input: Selection) => tools.compressor_recover_response.execute({ response_id: notice.response_id!, ...input });
  return { preview, notice, read };
}

/** The call that a notice gives as its example. */
function exampleOf(message: string): RecoverInput {
  const [, call] = /compressor_recover_response\((\{.*?\})\) \(or /.exec(message)!;
  return JSON.parse(call!) as RecoverInput;
}

describe('a part of an original', () => {
  it('is read by path, search or lines, within the budget', async () => {
    const { read } = await shortened(issues(500));
    expect(JSON.parse(await read({ path: '/issues/412/key' }))).toEqual({ part: 'PROJ-413', of: '/issues/412/key, complete' });
    expect(JSON.parse(await read({ path: '$.issues[?@.key == "PROJ-413"].title' }))).toMatchObject({
      part: 'The renderer fails on input 412',
    });
    const found = JSON.parse(await read({ search: 'input 412' })) as { part: { path: string }[]; matches: number };
    expect(found).toMatchObject({ matches: 1, part: [{ path: '/issues/412' }] });

    const text = await shortened(log(300));
    expect(await text.read({ lines: '150-151' })).toBe(`${log(300).split('\n').slice(149, 151).join('\n')}\n{"of":"lines 150-151 of 300"}`);
    expect(await text.read({ search: '/error worker/i', context: 0 })).toMatch(
      /^151:.*db-150\n\{"of":"matches 1-1 of 1, in 300 lines","matches":1\}$/,
    );
  });

  it('is paged by cursors that need nothing but the id', async () => {
    const { read } = await shortened(issues(200));
    const keys: string[] = [];
    for (let input: Selection = { path: '$.issues[*].key' }; ;) {
      const answer = await read(input);
      expect(charsOf(answer)).toBeLessThanOrEqual(2000);
      const page = JSON.parse(answer) as { part: { value: string }[]; next_cursor?: string };
      keys.push(...page.part.map(({ value }) => value));
      if (page.next_cursor === undefined) break;
      input = { cursor: page.next_cursor };
    }
    expect(keys).toEqual(issues(200).issues.map(({ key }) => key));
  });

  it('has a budget of its own', async () => {
    const { read } = await shortened(issues(500), { recoveryBudget: { bytes: 700 } });
    expect(Buffer.byteLength(await read({ path: '/issues' }))).toBeLessThanOrEqual(700);
    expect(await failureOf(() => shrinkfitTools({}, { shrinkfit: 2000, recoveryBudget: -1 }))).toMatchObject({ code: 'INVALID_OPTION' });
  });

  it('of an MCP result is looked for in its text first, then around it', async () => {
    const { read } = await shortened({
      content: [{ type: 'text', text: JSON.stringify(issues(500)) }],
      structuredContent: { secret: 'deep' },
    });
    expect(JSON.parse(await read({ path: '/issues/3/key' }))).toMatchObject({ part: 'PROJ-4' });
    expect(JSON.parse(await read({ path: '/structuredContent/secret' }))).toMatchObject({ part: 'deep' });
  });

  it('of several text blocks is named by the block', async () => {
    const content = [
      { type: 'text', text: log(100) },
      { type: 'resource_link', uri: 'file:///a', name: 'a' },
      { type: 'text', text: JSON.stringify(issues(300)) },
    ];
    const { notice, read } = await shortened({ content }, { shrinkfit: 6000 });
    const cuts = (notice as unknown as { omitted: { path?: string; lines?: string }[] }).omitted;
    expect(cuts.some(({ path }) => path?.startsWith('/2/issues'))).toBe(true);
    for (const { path, lines } of cuts) expect(await read(path === undefined ? { lines } : { path })).toContain('"of":');
    expect(JSON.parse(await read({ path: '/2/issues/7/key' }))).toMatchObject({ part: 'PROJ-8' });
    expect(JSON.parse(await read({ path: '/content/1/uri' }))).toMatchObject({ part: 'file:///a' });
  });
});

describe('the notice', () => {
  it.each<[string, unknown]>([
    ['JSON', issues(500)],
    ['a log', log(500)],
  ])('gives a call that reads something that was cut, for %s', async (_, result) => {
    const { notice, read } = await shortened(result, { shrinkfit: 6000 });
    const { response_id: id, ...selection } = exampleOf(notice.message);
    expect(id).toBe(notice.response_id);
    expect(await read(selection)).toContain('"of":');
    expect(notice.message).toContain('absence here proves nothing');
  });

  it('gives one in its short form, too', async () => {
    const { notice, read } = await shortened(issues(50), { shrinkfit: 350 });
    expect(notice.message).toBe(
      'Partial view. Read a missing part: compressor_recover_response({response_id,"path":"/issues"}) (or search, lines)',
    );
    expect(await read({ path: '/issues' })).toContain('"of":');
  });

  it('names the ways in its shortest form, where a path would take too much', async () => {
    const { preview, notice } = await shortened({ ['key'.repeat(30)]: 'x'.repeat(5000) }, { shrinkfit: 350 });
    expect(notice.message).toBe('Partial; see compressor_recover_response(response_id,path|search|lines)');
    expect(JSON.stringify(notice).length).toBeLessThanOrEqual(250);
    expect(idOf(preview as string)).toBe(notice.response_id);
  });
});

describe('a read that goes wrong', () => {
  it.each<[string, Selection, string, RegExp]>([
    [
      'a path that finds nothing',
      { path: '/issues/3/boddy' },
      'PATH_NOT_FOUND',
      /\/issues\/3 is an object with the keys key, title, state, body/,
    ],
    ['a path of no kind', { path: 'issues[3].body' }, 'INVALID_SELECTOR', /such as \/issues\/3\/body/],
    ['a JSONPath with a mistake', { path: '$.issues[?(@.key = 1)]' }, 'INVALID_SELECTOR', /at character 18/],
    ['a regex that does not parse', { search: '/(open/' }, 'INVALID_SELECTOR', /unclosed group/],
    ['lines of no kind', { lines: 'first ten' }, 'INVALID_SELECTOR', /120-180/],
    ['a cursor that is none', { cursor: 'abc' }, 'INVALID_CURSOR', /without a cursor/],
    ['a context of no size', { search: 'a', context: -1 }, 'INVALID_SELECTOR', /context must be a whole number of lines/],
  ])('says what to do: %s', async (_, selection, code, message) => {
    const { read } = await shortened(issues(500));
    const failure = await failureOf(() => read(selection));
    expect(failure).toMatchObject({ code });
    expect(failure.message).toMatch(message);
  });

  it('does not mind arguments that a model left empty', async () => {
    const { read } = await shortened(issues(500));
    expect(JSON.parse(await read({ path: '/total', search: '', lines: null, cursor: '' }))).toMatchObject({ part: 500 });
    expect(await read({ search: '', cursor: null })).toBe(JSON.stringify(issues(500)));
  });
});
