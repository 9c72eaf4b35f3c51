import { isUtf8 } from 'node:buffer';
import type { NativeBudget, NativePageOptions, PageOutcome } from './binding.ts';
import { type Budget, parseBudget } from './budget.ts';
import { checkKeys, invalidOption, text as checkText } from './check.ts';
import { SnugfitError } from './errors.ts';
import { native } from './native.ts';
import { attempt } from './outcome.ts';
import { jsonOf } from './render.ts';

/** Options of {@link page}, {@link trim} and {@link paginate}. */
export interface PageOptions {
  /**
   * The limit on a page. With `count` a number of whatever it counts.
   * @default `SNUGFIT_MAX_TOKENS` from the environment, else 20,000 tokens, by a high estimate: bytes / 3
   */
  budget?: Budget | undefined;
  /** Counts a text in a unit of your own; called a few times a page. Pages are then exact in that unit. */
  count?: ((text: string) => number) | undefined;
  /** The `next_cursor` of the page before; empty or left out for the first page. */
  cursor?: string | undefined;
  /** The array to page, as `data.items` or a JSON Pointer; by default the largest one that object keys lead to. */
  key?: string | undefined;
  /**
   * Spaces a level of indentation takes.
   * @default 0
   */
  indent?: number | undefined;
  /**
   * The parameter that a page's note names for the cursor.
   * @default 'cursor'
   */
  cursorParam?: string | undefined;
}

const KNOWN = ['budget', 'count', 'cursor', 'key', 'indent', 'cursorParam'];
const DEFAULT_TOKENS = 20_000;

/**
 * One page of a value: whole items of its array, or a chunk of its text, with a note that says how to get the next one. A value that fits is
 * returned as it is. The cursor holds all that is needed, so that another process goes on where this one ended.
 *
 * Throws `INVALID_CURSOR` for a cursor that no page gave, `BUDGET_TOO_SMALL`, `INVALID_OPTION` or `INVALID_INPUT`.
 *
 * @example
 * ```ts
 * const first = page(runs, { budget: 6000 });
 * const second = page(runs, { budget: 6000, cursor: JSON.parse(first).page.next_cursor });
 * ```
 */
export function page(value: unknown, options: PageOptions = {}): string {
  return pageText(value, parsePageOptions(options), false);
}

/** The first part of a value, with a note that says how much was left out, and no cursor. Throws what {@link page} throws. */
export function trim(value: unknown, options: PageOptions = {}): string {
  return pageText(value, parsePageOptions(options), true);
}

/** Options that were checked. */
export interface ParsedPageOptions {
  limits: { budget: NativeBudget } | { limit: number; count: (text: string) => number };
  native: NativePageOptions;
}

/** Checks options of pages. */
export function parsePageOptions(options: unknown): ParsedPageOptions {
  checkKeys('options', options, KNOWN);
  const { budget, count, cursor, key, indent, cursorParam } = options as PageOptions;
  if (count !== undefined && typeof count !== 'function') throw invalidOption('count', count, 'a function');
  if (indent !== undefined && !(Number.isInteger(indent) && indent >= 0 && indent <= 16))
    throw invalidOption('indent', indent, 'an integer from 0 to 16');
  const native: NativePageOptions = {};
  if (cursor !== undefined && checkText('cursor', cursor) !== '') native.cursor = cursor;
  if (key !== undefined) native.key = checkText('key', key);
  if (cursorParam !== undefined) native.cursorParam = checkText('cursorParam', cursorParam);
  if (indent !== undefined) native.indent = indent;
  return { limits: count === undefined ? { budget: limitsOf(budget) } : counted(budget, count), native };
}

/** One page, at once. */
export function pageText(value: unknown, { limits, native: options }: ParsedPageOptions, trim: boolean): string {
  const input = inputOf(value);
  const asked = { ...options, trim };
  const binding = native();
  return textOf(
    'count' in limits
      ? counting(() => binding.pageCounted(input, limits.limit, limits.count, asked))
      : attempt(() => binding.pageSync(input, limits.budget, asked)),
  );
}

/** The text of a value: a string, or bytes of UTF-8, as it is, JSON otherwise. What is nothing has none. */
export function inputOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array && isUtf8(value)) return new TextDecoder('utf-8', { ignoreBOM: true }).decode(value);
  return value === undefined ? '' : jsonOf(value);
}

export function textOf({ text }: PageOutcome): string {
  if (text === undefined) throw new SnugfitError('INTERNAL', 'snugfit failed: the addon gave no page');
  return text;
}

/** What the caller's own counter throws stays what it was; our failures come as data. */
function counting(call: () => PageOutcome): PageOutcome {
  const outcome = call();
  return attempt(() => outcome);
}

function counted(budget: Budget | undefined, count: (text: string) => number): ParsedPageOptions['limits'] {
  const limit = budget ?? DEFAULT_TOKENS;
  if (typeof limit !== 'number' || !(limit > 0)) throw invalidOption('budget', budget, 'a positive number of what count counts');
  return { limit, count };
}

function limitsOf(budget: Budget | undefined): NativeBudget {
  if (budget !== undefined) return parseBudget('budget', budget);
  const given = process.env.SNUGFIT_MAX_TOKENS;
  const tokens = given === undefined || given.trim() === '' ? DEFAULT_TOKENS : Number(given);
  if (!Number.isSafeInteger(tokens) || tokens < 1) throw invalidOption('SNUGFIT_MAX_TOKENS', given, 'a positive integer of tokens');
  return { tokens };
}
