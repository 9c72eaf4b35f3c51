import { describe, expect, it } from 'vitest';
import { bodyText, fitBody, itemsSize, needsCut, render, renderWithin, reserve } from '../host/index.ts';
import { failureOf } from './support/errors.ts';
import { charsOf } from './support/notice.ts';
import { issues, random } from './support/samples.ts';

describe('renderings', () => {
  it('are what JSON.stringify writes', () => {
    for (const value of [issues(20), 'text', null, [], {}, [[], {}], 'é\u{1F600}\n"', -0.5, true])
      expect(render(value)).toBe(JSON.stringify(value, null, 2));
  });

  it('keep the raw forms of JSON text', () => {
    const json = '{"n":[1e400,12345678901234567890,1.0],"a":"\\u00e9","a":2}';
    expect(render({ json })).toContain('1e400');
    expect(renderWithin({ json }, json.length)).toEqual({ text: json, fits: true, form: 'compact' });
  });

  it('are the cheapest that fits', () => {
    const value = issues(10);
    const [indented, compact] = [JSON.stringify(value, null, 2), JSON.stringify(value)];
    expect(renderWithin(value, indented.length)).toEqual({ text: indented, fits: true, form: 'indented' });
    expect(renderWithin(value, indented.length - 1)).toEqual({ text: compact, fits: true, form: 'compact' });
    expect(renderWithin(value, compact.length - 1)).toEqual({ text: compact, fits: false, form: 'compact' });
    expect([needsCut(value, compact.length), needsCut(value, compact.length - 1)]).toEqual([false, true]);
    for (const none of [0, -1, Infinity]) expect(renderWithin(value, none).form).toBe('indented');
  });

  it('refuse what has no JSON form', async () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    for (const value of [undefined, () => 1, 1n, cycle, { json: '{' }])
      expect(await failureOf(() => render(value))).toMatchObject({ code: 'INVALID_INPUT' });
  });
});

describe('fitBody', () => {
  const envelope = (body: string) => {
    const value = { status: 200, truncated: true, body };
    return { value, field: { body, setBody: (shorter: string) => void (value.body = shorter) } };
  };

  it('keeps the longest prefix of the body that fits, exactly', () => {
    const next = random(7);
    for (let round = 0; round < 300; round++) {
      const alphabet = ['a', '"', '\\', '\n', '\u0001', 'é', '世', '\ud800'];
      const body = Array.from({ length: 80 }, () => alphabet[Math.floor(next() * alphabet.length)]).join('');
      const budget = 50 + Math.floor(next() * 200);
      const { value, field } = envelope(body);
      const { text, fits } = fitBody(value, budget, field);
      expect(fits).toBe(true);
      expect(charsOf(text)).toBeLessThanOrEqual(budget);
      const kept = value.body;
      expect(body.startsWith(kept)).toBe(true);
      if (kept.length < body.length) {
        const more = JSON.stringify({ ...value, body: body.slice(0, kept.length + 1) });
        expect(charsOf(more)).toBeGreaterThan(budget);
      }
    }
  });

  it('takes a new value from setBody, and never splits what is one character to a reader', () => {
    const body = '👩\u200d👧'.repeat(50);
    const { text, form } = fitBody({ body }, 60, { body, setBody: (shorter) => ({ body: shorter, cut: true }) });
    const { body: kept } = JSON.parse(text) as { body: string };
    expect(kept).toBe('👩\u200d👧'.repeat(kept.length / 5));
    expect(form).toBe('compact');
  });

  it('empties the body of an envelope that alone is too large', () => {
    const { value, field } = envelope('text');
    expect(fitBody(value, 10, field)).toMatchObject({ fits: false });
    expect(value.body).toBe('');
  });
});

describe('what merges need', () => {
  it('bodyText', () => {
    expect(['text', { a: 1.5 }, 7, null, undefined, 1n, () => 1].map(bodyText)).toEqual(['text', '{"a":1.5}', '7', '', '', '', '']);
  });

  it('itemsSize is the size of the list when rendered', () => {
    for (const items of [[], [1], issues(30).issues]) expect(itemsSize(items)).toBe(charsOf(JSON.stringify(items, null, 2)));
    expect(itemsSize([1, { json: '{' }])).toBe(Infinity);
    expect(itemsSize([undefined])).toBe(Infinity);
  });

  it('reserve is 4,096, at most a quarter', () => {
    expect([100_000, 16_384, 8000, 3, 0, -5].map(reserve)).toEqual([4096, 4096, 2000, 0, 0, 0]);
  });
});
