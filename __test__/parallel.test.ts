import { describe, expect, it } from 'vitest';
import { shrinkfitTools } from '../host/index.ts';
import { charsOf, envelopeNotice, idOf } from './support/notice.ts';
import { issues, log, random } from './support/samples.ts';

const BUDGET = 3000;
const CALLS = 1000;

/** A result of any kind and of a size from nothing to some 200 kB, the same for the same number. */
function resultOf(n: number): unknown {
  const next = random(n);
  const size = Math.floor(10 ** (next() * 5.3));
  const words = [
    'alpha',
    'ünïcödé',
    '漢字仮名',
    '😀👩‍👩‍👧',
    'e\u0301',
    '\ud800',
    '\udfff',
    '"quoted"',
    '\\',
    '\u0000',
    '\n',
    '\t',
    '1e400',
    'https://example.com/a?b=c',
  ];
  const word = () => words[Math.floor(next() * words.length)]!;
  const prose = (length: number) => {
    let text = `${n} `;
    while (text.length < length) text += `${word()} `;
    return text;
  };
  switch (n % 8) {
    case 0:
      return prose(size);
    case 1:
      return { n, ...issues(Math.ceil(size / 250)) };
    case 2:
      return [n, ...issues(Math.ceil(size / 250)).issues];
    case 3:
      return JSON.stringify({ n, text: prose(size), numbers: Array.from({ length: size / 20 }, next) }, null, 2);
    case 4:
      return { result: `${n}\n${log(Math.ceil(size / 60))}` };
    case 5:
      return { content: [{ type: 'text', text: prose(size) }] };
    case 6:
      return {
        content: [{ type: 'text', text: JSON.stringify({ n, ...issues(Math.ceil(size / 250)) }) }],
        structuredContent: { n },
        _meta: { n },
      };
    default:
      return {
        content: [
          { type: 'text', text: prose(size / 2) },
          { type: 'resource_link', uri: 'a:b' },
          { type: 'text', text: prose(size / 2) },
        ],
      };
  }
}

interface Envelope {
  content: { type: string; text?: string }[];
}

describe('a thousand calls of mixed sizes at once', () => {
  it('stay within the budget, and every id gives exactly what the tool returned', async () => {
    const { tools, close } = shrinkfitTools(
      { probe: { execute: async ({ n }: { n: number }) => resultOf(n) } },
      { shrinkfit: BUDGET, store: { entries: CALLS, bytes: 1e9 } },
    );
    const recover = (id: string) => tools.compressor_recover_response.execute({ response_id: id });
    const outputs = await Promise.all(Array.from({ length: CALLS }, (_, n) => tools.probe.execute({ n })));

    let fitted = 0;
    for (const [n, output] of outputs.entries()) {
      const returned = resultOf(n);
      if (n % 8 >= 5) {
        const texts = (output as Envelope).content.flatMap(({ text }) => text ?? []);
        expect(
          texts.reduce((sum, text) => sum + charsOf(text), 0),
          `call ${n}`,
        ).toBeLessThanOrEqual(BUDGET);
        if (JSON.stringify(output) === JSON.stringify(returned)) continue;
        expect(await recover(envelopeNotice(output as Envelope).response_id!), `call ${n}`).toBe(JSON.stringify(returned));
      } else {
        if (typeof output !== 'string' || output === returned) {
          expect(output, `call ${n}`).toEqual(returned);
          expect(charsOf(plainText(returned)), `call ${n}`).toBeLessThanOrEqual(BUDGET);
          continue;
        }
        expect(charsOf(output), `call ${n}`).toBeLessThanOrEqual(BUDGET);
        expect(Buffer.from(output).toString(), `call ${n}`).toBe(output);
        if (n % 8 < 4 && n % 8 > 0) expect(() => JSON.parse(output) as unknown, `call ${n}`).not.toThrow();
        if (!output.includes('response_id')) continue;
        expect(await recover(idOf(output)), `call ${n}`).toBe(plainText(returned));
      }
      fitted++;
    }
    expect(fitted).toBeGreaterThan(CALLS / 3);
    close();
  });
});

/** The text that a plain result counts as. */
function plainText(value: unknown): string {
  const inner = (value as { result?: unknown }).result ?? value;
  return typeof inner === 'string' ? inner : JSON.stringify(inner);
}
