import { execFileSync } from 'node:child_process';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { page, shrinkfitTools, trim } from '../host/index.ts';
import { failureOf } from './support/errors.ts';
import { charsOf } from './support/notice.ts';
import { issues, log } from './support/samples.ts';

interface Paged {
  items: unknown[];
  page: { items: string; total: number; next_cursor?: string; response_id?: string; note: string };
}
const parse = (text: string) => JSON.parse(text) as Paged;

afterEach(() => vi.unstubAllEnvs());

describe('page', () => {
  it('gives whole items until the budget is full, and the cursor of the next page', () => {
    const list = issues(100).issues;
    const seen: unknown[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const text = page(list, { budget: 2000, cursor });
      expect(charsOf(text)).toBeLessThanOrEqual(2000);
      seen.push(...parse(text).items);
      cursor = parse(text).page.next_cursor;
    }
    expect(seen).toEqual(list);
  });

  it('gives what fits as it is', () => {
    expect(page([1, 2], { budget: 100 })).toBe('[1,2]');
    expect(page('text', { budget: 100 })).toBe('text');
    expect(page({ a: [1] }, { budget: 100, indent: 2 })).toBe('{\n  "a": [\n    1\n  ]\n}');
    expect(page({ json: '[1.0, 1e400]' }, { budget: 100 })).toBe('[1.0, 1e400]');
    expect(page(undefined, { budget: 100 })).toBe('');
  });

  it('pages collections, and bytes of text, as what they hold', () => {
    expect(parse(page(new Set(issues(100).issues), { budget: 2000 }))).toEqual(parse(page(issues(100).issues, { budget: 2000 })));
    expect(page(new Map([['a', Uint8Array.of(1, 2)]]), { budget: 100 })).toBe('{"a":[1,2]}');
    expect(page(Buffer.from('é'), { budget: 100 })).toBe('é');
  });

  it('has a budget of tokens by default, from the environment or 20,000', () => {
    expect(Buffer.byteLength(page(issues(2000)))).toBeLessThanOrEqual(60_000);
    vi.stubEnv('SNUGFIT_MAX_TOKENS', '500');
    expect(Buffer.byteLength(page(issues(2000)))).toBeLessThanOrEqual(1500);
    vi.stubEnv('SNUGFIT_MAX_TOKENS', 'many');
    expect(() => page([1])).toThrow('SNUGFIT_MAX_TOKENS must be a positive integer of tokens');
  });

  it('counts in a unit of your own', () => {
    let asked = 0;
    const count = (text: string) => (asked++, text.split(/\W+/).length);
    const text = page(issues(2000), { budget: 300, count });
    expect(text.split(/\W+/).length).toBeLessThanOrEqual(300);
    expect(text.split(/\W+/).length).toBeGreaterThan(250);
    expect(asked).toBeLessThan(25);
    const broken = () => {
      throw new RangeError('no tokenizer');
    };
    expect(() => page(issues(20), { budget: 300, count: broken })).toThrow(RangeError);
  });

  it('goes on in a second process, and tells where the result changed', () => {
    const cursor = parse(page(issues(100).issues, { budget: 2000 })).page.next_cursor!;
    const script = `
      import { page } from './dist/index.js';
      const items = Array.from({ length: 100 }, (_, n) => ({ n, text: 'x'.repeat(90) }));
      const first = JSON.parse(page(items, { budget: 2000 }));
      process.stdout.write(process.argv[1] ? page(items, { budget: 2000, cursor: process.argv[1] }) : first.page.next_cursor);
    `;
    const run = (...args: string[]) => execFileSync(process.execPath, ['--input-type=module', '-e', script, ...args], { encoding: 'utf8' });
    const next = parse(run(run()));
    expect((next.items[0] as { n: number }).n).toBeGreaterThan(5);
    expect(next.page.note).not.toContain('changed');
    expect(parse(run(cursor)).page.note).toContain('The result changed since the last page: items may repeat or be missing.');
  });

  it.each(['garbage', 'MTozNzo1YzBmYTE5Mw', '-'])('refuses the cursor %s', async (cursor) => {
    const failure = await failureOf(() => page(issues(100), { budget: 2000, cursor }));
    expect(failure).toMatchObject({ code: 'INVALID_CURSOR' });
    expect(failure.message).toContain('call the tool again without a cursor to start from the beginning');
  });

  it.each<[object, string]>([
    [{ budget: 0 }, 'budget must be'],
    [{ budget: 500, indent: -1 }, 'indent must be an integer from 0 to 16, not -1.'],
    [{ budget: 500, key: 'nothing' }, 'key: must lead to an array'],
    [{ budget: 500, count: 1 }, 'count must be a function'],
    [{ budgets: 500 }, 'did you mean budget?'],
  ])('refuses %j', async (options, message) => {
    const failure = await failureOf(() => page(issues(100), options));
    expect(failure).toMatchObject({ code: 'INVALID_OPTION' });
    expect(failure.message).toContain(message);
  });
});

describe('trim', () => {
  it('gives the first part and says what is left out', () => {
    const { page: shown } = parse(trim(issues(100).issues, { budget: 1500 }));
    expect(shown.note).toMatch(/^Showing items 1-\d+ of 100\. \d+ items were left out\. Narrow the request to see more\.$/);
    expect(shown).not.toHaveProperty('next_cursor');
  });
});

describe('shrinkfitTools with pages', () => {
  const wrap = (result: unknown, options: object = {}) =>
    shrinkfitTools({ probe: { execute: async () => result } }, { shrinkfit: 2000, mode: 'page', ...options }).tools;

  it('hands out the first page; the recovery tool gives the others, and the original', async () => {
    const tools = wrap(issues(100).issues);
    const first = parse((await tools.probe.execute()) as string);
    const id = first.page.response_id!;
    expect(first.page.note).toContain('compressor_recover_response with response_id and cursor');
    const seen = [...first.items];
    for (let cursor = first.page.next_cursor; cursor !== undefined;) {
      const text = await tools.compressor_recover_response.execute({ response_id: id, cursor });
      expect(charsOf(text)).toBeLessThanOrEqual(2000);
      seen.push(...parse(text).items);
      cursor = parse(text).page.next_cursor;
    }
    expect(seen).toEqual(issues(100).issues);
    expect(await tools.compressor_recover_response.execute({ response_id: id })).toBe(JSON.stringify(issues(100).issues));
    expect(await tools.compressor_recover_response.execute({ response_id: id, path: '/7/key' })).toContain('PROJ-8');
  });

  it('pages the text of an MCP result', async () => {
    const tools = wrap({ content: [{ type: 'text', text: log(300) }], _meta: { kept: true } });
    const result = (await tools.probe.execute()) as { content: { text: string }[]; _meta: object };
    const [, , id, cursor] = /^\[Characters (.*?)\..*response_id: (\S+), cursor: (\S+?)\]$/m.exec(result.content[0]!.text)!;
    expect(result._meta).toEqual({ kept: true });
    const next = await tools.compressor_recover_response.execute({ response_id: id!, cursor });
    const chunk = (text: string) => text.slice(0, text.lastIndexOf('\n['));
    expect(log(300).startsWith(chunk(result.content[0]!.text) + chunk(next))).toBe(true);
  });

  it('trims, by tool', async () => {
    const tools = wrap(issues(100).issues, { mode: 'condense', perTool: { 'pro*': { mode: 'trim' } } });
    const { page: shown } = parse((await tools.probe.execute()) as string);
    expect(shown.note).toMatch(/items were left out; compressor_recover_response reads them by response_id and path, search or lines\.$/);
    expect(shown).not.toHaveProperty('next_cursor');
  });

  it('condenses what has no pages', async () => {
    const wide = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`key${n}`, n]));
    expect(JSON.parse((await wrap(wide).probe.execute()) as string)).toHaveProperty('truncation.response_id');
  });
});
