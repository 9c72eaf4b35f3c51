import { describe, expect, test } from 'vitest';
import { open, scripted, several } from './support.ts';

interface Answer {
  result: { content: { type: string; text: string }[] };
}

const CHARS = 12_000;

/** A proxy whose calls share an allowance, and the characters that each of several calls at once gives. */
async function turns(window: string) {
  const results = { budget: { chars: 1_000_000 }, turnBudget: { chars: CHARS, window } };
  const proxy = open(several({ s: scripted() }, { results }));
  await proxy.initialize();
  let id = 1;
  return async (...calls: [string, object][]) => {
    const answers = calls.map(([name, args]) => proxy.call(id++, name, args));
    const texts = (await Promise.all(answers)).map((answer) =>
      (JSON.parse(answer) as Answer).result.content.map(({ text }) => text).join(''),
    );
    return texts.map((text) => Array.from(text).length);
  };
}

const sum = (sizes: number[]) => sizes.reduce((all, size) => all + size, 0);

describe('results.turnBudget', () => {
  test('small results pass whole, large ones share what is left, whatever the order', async () => {
    const call = await turns('1h');
    const calls: [string, object][] = [
      ['big', { n: 500 }],
      ['slow', { ms: 300 }],
      ['text', { lines: 5000 }],
      ['echo', { a: 'small' }],
    ];
    const sizes = await call(...calls);
    expect(sum(sizes)).toBeLessThanOrEqual(CHARS);
    expect(sizes[1]).toBe('slept 300'.length);
    expect(sizes[3]).toBe('{"a":"small"}'.length);
    for (const size of [sizes[0]!, sizes[2]!]) {
      expect(size).toBeGreaterThan(4500);
      expect(size).toBeLessThanOrEqual(CHARS / 2);
    }
    // The turn is not over: what comes now gets what is left.
    expect(sum(await call(['big', { n: 500 }]))).toBeLessThan(CHARS - sum(sizes) + 400);
  });

  test('a window that is over begins another turn, and nothing waits longer', async () => {
    const call = await turns('200ms');
    const [large] = await call(['big', { n: 500 }], ['slow', { ms: 1000 }]);
    expect(large).toBeGreaterThan(4500);
    expect(large).toBeLessThanOrEqual(CHARS / 2);
    const [alone] = await call(['big', { n: 500 }]);
    expect(alone).toBeGreaterThan(CHARS / 2);
    expect(alone).toBeLessThanOrEqual(CHARS);
  });
});
