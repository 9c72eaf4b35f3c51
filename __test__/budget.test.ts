import { describe, expect, it } from 'vitest';
import { certainlyFits, parseBudget } from '../host/budget.ts';
import { fit, shrinkfitTools } from '../host/index.ts';
import { failureOf } from './support/errors.ts';

describe('a budget', () => {
  it.each([
    [6000, { chars: 6000 }],
    [{ chars: 6000 }, { chars: 6000 }],
    [
      { bytes: 10_000, lines: 256 },
      { bytes: 10_000, lines: 256 },
    ],
    [{ chars: 1, bytes: undefined }, { chars: 1 }],
    [{ tokens: 1000 }, { tokens: 1000 }],
    [
      { tokens: 1000, encoding: 'cl100k_base' },
      { tokens: 1000, encoding: 'cl100k_base' },
    ],
  ])('%j is taken as %j', (budget, limits) => {
    expect(parseBudget('shrinkfit', budget)).toEqual(limits);
  });

  it.each([
    [0, 'shrinkfit must be a positive integer of characters, not 0.'],
    [-5, 'shrinkfit must be a positive integer of characters, not -5.'],
    [1.5, 'shrinkfit must be a positive integer of characters, not 1.5.'],
    [NaN, 'shrinkfit must be a positive integer of characters, not NaN.'],
    [Infinity, 'shrinkfit must be a positive integer of characters, not Infinity.'],
    ['6000', 'shrinkfit must be a positive integer of characters, or an object with any of chars, bytes, lines, tokens, not "6000".'],
    [null, 'shrinkfit must be a positive integer of characters, or an object with any of chars, bytes, lines, tokens, not null.'],
    [[6000], 'shrinkfit must be a positive integer of characters, or an object with any of chars, bytes, lines, tokens, not an array.'],
    [6000n, 'shrinkfit must be a positive integer of characters, or an object with any of chars, bytes, lines, tokens, not 6000n.'],
    [{}, 'shrinkfit must name at least one of chars, bytes, lines, tokens.'],
    [{ bytes: -1 }, 'shrinkfit.bytes must be a positive integer of bytes, not -1.'],
    [{ lines: '3' }, 'shrinkfit.lines must be a positive integer of lines, not "3".'],
    [{ char: 6000 }, 'shrinkfit.char is no option: did you mean chars?'],
    [{ tokens: 0 }, 'shrinkfit.tokens must be a positive integer of tokens, not 0.'],
    [{ encoding: 'o200k_base' }, 'shrinkfit must name at least one of chars, bytes, lines, tokens.'],
    [{ chars: 9, encoding: 'o200k_base' }, 'shrinkfit.encoding says how tokens are counted; name shrinkfit.tokens too.'],
    [{ tokens: 9, encoding: 'o200k' }, 'shrinkfit.encoding must be "estimate" or "o200k_base" or "cl100k_base", not "o200k".'],
    [{ token: 1000 }, 'shrinkfit.token is no option: did you mean tokens?'],
  ])('%o is refused at once, by name and with what is allowed', async (shrinkfit, message) => {
    const failure = await failureOf(() => shrinkfitTools({}, { shrinkfit: shrinkfit as number }));
    expect(failure).toMatchObject({ code: 'INVALID_OPTION', message });
    expect(await failureOf(() => fit('', { budget: shrinkfit as number }))).toMatchObject({ code: 'INVALID_OPTION' });
  });
});

describe('what certainly fits', () => {
  it.each([
    ['as many units as characters', ['abc'], { chars: 3 }, true],
    ['a unit more', ['abcd'], { chars: 3 }, false],
    ['pairs of surrogates, which only the engine counts', ['😀😀'], { chars: 2 }, false],
    ['a third of the bytes', ['abc'], { bytes: 9 }, true],
    ['more than a third of the bytes', ['abc'], { bytes: 8 }, false],
    ['a third of the tokens', ['abc'], { tokens: 9 }, true],
    ['more than a third of the tokens', ['abc'], { tokens: 8 }, false],
    ['as many lines', ['a\nb'], { lines: 2 }, true],
    ['a line more', ['a\nb\n'], { lines: 2 }, false],
    ['nothing', [''], { chars: 1, bytes: 1, lines: 1 }, true],
    ['blocks together', ['ab', 'cd'], { chars: 4 }, true],
    ['blocks together, too many', ['ab', 'cde'], { chars: 4 }, false],
    ['every limit', ['a\nb'], { chars: 10, lines: 1 }, false],
  ])('%s', (_, texts, budget, fits) => {
    expect(certainlyFits(texts, budget)).toBe(fits);
  });
});
