import { describe, expect, it } from 'vitest';
import { fit, fitSync } from '../host/index.ts';
import { failureOf } from './support/errors.ts';
import { charsOf } from './support/notice.ts';
import { issues, log } from './support/samples.ts';

describe.each([
  ['fit', fit],
  ['fitSync', fitSync],
])('%s', (_, run) => {
  it('gives a value that fits as its text, and says that nothing was cut', async () => {
    const { text, report } = await run({ a: [1, 2] }, { budget: 1000 });
    expect(text).toBe('{"a":[1,2]}');
    expect(report).toMatchObject({ inputChars: 11, outputChars: 11, budget: 1000, complete: true, fits: true, pruned: false, omitted: [] });
  });

  it.each<[string, unknown]>([
    ['a text', log(300)],
    ['a JSON string', JSON.stringify(issues(100))],
    ['an object', issues(100)],
    ['bytes', Buffer.from(log(300))],
    ['bytes that are not UTF-8', Buffer.from([...Buffer.from(log(300)), 0xff, 0xfe])],
  ])('fits %s, without a notice', async (_, value) => {
    const { text, report } = await run(value, {
      budget: 1000,
      toolName: 'probe',
      arguments: { q: 'db' },
      relevance: 'db',
      protect: ['key'],
      drop: ['body'],
    });
    expect(charsOf(text)).toBeLessThanOrEqual(1000);
    expect(report).toMatchObject({ outputChars: charsOf(text), budget: 1000, complete: false, pruned: true });
    expect(text).not.toContain('truncation');
  });

  it('keeps JSON parseable', async () => {
    const { text } = await run(issues(100), { budget: { chars: 1000 } });
    expect(JSON.parse(text)).toMatchObject({ total: 100 });
  });

  it('unwraps a lone result', async () => {
    expect((await run({ result: 'text' }, { budget: 10 })).text).toBe('text');
  });

  it('keeps a byte-order mark', async () => {
    expect((await run(Buffer.from('\ufeff{}'), { budget: 10 })).text).toBe('\ufeff{}');
  });

  it('takes the arguments as a value or as JSON text, and any other text as words', async () => {
    const texts = await Promise.all(
      [{ query: 'PROJ-77' }, '{"query":"PROJ-77"}'].map(async (args) => (await run(issues(100), { budget: 1000, arguments: args })).text),
    );
    expect(texts[0]).toBe(texts[1]);
    expect((await run(issues(100), { budget: 1000, arguments: 'PROJ-77' })).text).toBeTypeOf('string');
  });

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['a function', () => 1],
    ['a BigInt', 1n],
    ['a cycle', cycle()],
  ])('refuses %s', async (_, value) => {
    const failure = await failureOf(() => run(value, { budget: 1000 }));
    expect(failure).toMatchObject({ code: 'INVALID_INPUT' });
    expect(failure.message).toContain('no JSON form');
  });

  it('says the least budget that would do', async () => {
    const failure = await failureOf(() => run(issues(100), { budget: 1 }));
    expect(failure).toMatchObject({ code: 'BUDGET_TOO_SMALL' });
    expect(failure.needed).toBeGreaterThan(1);
    expect(failure.message).toContain(String(failure.needed));
    expect(failure.message).not.toContain('has run');
    expect(charsOf((await run(issues(100), { budget: failure.needed! })).text)).toBeLessThanOrEqual(failure.needed!);
  });
});

function cycle(): unknown {
  const value: Record<string, unknown> = {};
  value.self = value;
  return value;
}
