import type { NativeBudget } from './binding.ts';
import { checkKeys, invalidOption, oneOf, positiveInteger } from './check.ts';
import { SnugfitError } from './errors.ts';
import { ENCODINGS, type Encoding, provideVocabulary } from './encoding.ts';

/**
 * The limit on the text that a model sees: a positive integer of Unicode characters, or several limits that must all hold.
 *
 * @example
 * ```ts
 * const budget: Budget = { chars: 6000, lines: 200 };
 * ```
 */
export type Budget = number | BudgetLimits;

/** Limits that must all hold; name at least one. */
export interface BudgetLimits {
  /** Unicode characters (scalar values). */
  chars?: number | undefined;
  /** Bytes of UTF-8. */
  bytes?: number | undefined;
  /** Lines: line feeds plus one. */
  lines?: number | undefined;
  /** Tokens, as {@link encoding} counts them. */
  tokens?: number | undefined;
  /**
   * How tokens are counted.
   * @default 'estimate'
   */
  encoding?: Encoding | undefined;
}

const UNITS = { chars: 'characters', bytes: 'bytes', lines: 'lines', tokens: 'tokens' } as const;
const NAMES = Object.keys(UNITS) as (keyof typeof UNITS)[];

/** Checks a budget and brings it into the one form. */
export function parseBudget(option: string, budget: unknown): NativeBudget {
  if (typeof budget === 'number') return { chars: positiveInteger(option, budget, UNITS.chars) };
  if (typeof budget !== 'object' || budget === null || Array.isArray(budget)) {
    throw invalidOption(option, budget, `a positive integer of characters, or an object with any of ${NAMES.join(', ')}`);
  }
  checkKeys(option, budget, [...NAMES, 'encoding']);
  const limits: NativeBudget = {};
  for (const name of NAMES) {
    const value = (budget as BudgetLimits)[name];
    if (value !== undefined) limits[name] = positiveInteger(`${option}.${name}`, value, UNITS[name]);
  }
  if (Object.keys(limits).length === 0)
    throw new SnugfitError('INVALID_OPTION', `${option} must name at least one of ${NAMES.join(', ')}.`);
  const { encoding } = budget as BudgetLimits;
  if (encoding === undefined) return limits;
  if (limits.tokens === undefined)
    throw new SnugfitError('INVALID_OPTION', `${option}.encoding says how tokens are counted; name ${option}.tokens too.`);
  provideVocabulary(oneOf(`${option}.encoding`, encoding, ENCODINGS));
  return { ...limits, encoding };
}

/**
 * Whether texts are within the budget for certain, told without counting characters: a character is one or two UTF-16 units, a unit at
 * most three bytes, and a token at least one. `false` means that the engine has to look.
 */
export function certainlyFits(texts: readonly string[], budget: NativeBudget): boolean {
  let units = 0;
  for (const text of texts) units += text.length;
  if (units > (budget.chars ?? Infinity) || units * 3 > Math.min(budget.bytes ?? Infinity, budget.tokens ?? Infinity)) return false;
  return budget.lines === undefined || linesUpTo(texts, budget.lines) <= budget.lines;
}

/** The lines of the texts together, counted no further than one past `most`. */
function linesUpTo(texts: readonly string[], most: number): number {
  let lines = 0;
  for (const text of texts) {
    if (text === '') continue;
    lines++;
    for (let at = text.indexOf('\n'); at !== -1 && lines <= most; at = text.indexOf('\n', at + 1)) lines++;
  }
  return lines;
}
