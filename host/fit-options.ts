import type { NativeOptions } from './binding.ts';
import { type Budget, parseBudget } from './budget.ts';
import { checkKeys, invalidOption, oneOf, text, texts } from './check.ts';
import { SnugfitError, messageOf } from './errors.ts';
import { toJson } from './value.ts';

/** Options of {@link fit} and {@link fitSync}. */
export interface FitOptions {
  /** The limit on the text. */
  budget: Budget;
  /** The name of the tool that gave the value. */
  toolName?: string | undefined;
  /** The call's arguments: what was asked for is worth keeping. */
  arguments?: unknown;
  /** Extra words that say what the reader is after. */
  relevance?: string | undefined;
  /** What must survive: JSON Pointers with `*` (one segment) and `**` (any number), or bare key names. */
  protect?: readonly string[] | undefined;
  /** What never matters, in the same form. */
  drop?: readonly string[] | undefined;
  /**
   * Spaces a level of indentation takes, 0 to 16.
   * @default 0
   */
  indent?: number | undefined;
  /**
   * How JSON is laid out; `lines`: one record a line.
   * @default 'compact'
   */
  layout?: 'compact' | 'lines' | undefined;
}

/** How each option is checked and brought into the addon's form. */
const CHECKS: Record<keyof FitOptions, (option: string, value: unknown) => unknown> = {
  budget: parseBudget,
  toolName: text,
  arguments: jsonOf,
  relevance: text,
  protect: texts,
  drop: texts,
  indent: spaces,
  layout: (option, value) => oneOf(option, value, ['compact', 'lines']),
};
const LATER = ['mode'];

/** Checks options; those of `extra` are known and left to the caller. */
export function parseFitOptions(options: unknown, extra: readonly string[] = []): NativeOptions {
  checkKeys('options', options, [...Object.keys(CHECKS), ...extra], LATER);
  const given = new Map(Object.entries(options as object));
  if (given.get('budget') === undefined)
    throw new SnugfitError('INVALID_OPTION', 'budget is missing; give a positive integer of characters, such as 6000.');
  const parsed = Object.entries(CHECKS).flatMap(([name, check]) => {
    const value: unknown = given.get(name);
    return value === undefined ? [] : [[name, check(name, value)] as const];
  });
  return Object.fromEntries(parsed) as unknown as NativeOptions;
}

function spaces(option: string, value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > 16)
    throw invalidOption(option, value, 'an integer from 0 to 16');
  return value;
}

/** JSON text, of a value or of a string that is JSON text already. */
function jsonOf(option: string, value: unknown): string {
  if (typeof value === 'string' && isJson(value)) return value;
  try {
    return toJson(value) ?? '';
  } catch (thrown) {
    throw new SnugfitError('INVALID_OPTION', `${option} must be a value that JSON can hold: ${messageOf(thrown)}`, { cause: thrown });
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
