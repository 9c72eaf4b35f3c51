import type { NativeBudget } from './binding.ts';
import { type Budget, parseBudget } from './budget.ts';
import { invalidOption } from './check.ts';
import { SnugfitError, messageOf } from './errors.ts';
import { native } from './native.ts';
import { attempt } from './outcome.ts';
import { toJson } from './value.ts';

/** JSON text in a value's place: its numbers, keys and escapes come out as they are written. */
export interface RawJson {
  json: string;
}

/** A rendering of a value. */
export interface Rendered {
  text: string;
  /** It is within the budget. */
  fits: boolean;
  /** `indented` by two spaces a level, or `compact`. */
  form: 'indented' | 'compact';
}

/** A limit for renderings; a number that is 0 or less is none. */
export type RenderBudget = Budget;

/**
 * A value as JSON, indented by two spaces a level. A string is a string value; `{ json }` hands over JSON text.
 *
 * Throws `INVALID_INPUT` for what has no JSON form.
 *
 * @example
 * ```ts
 * render({ json: '{"n":1e400}' }); // '{\n  "n": 1e400\n}'
 * ```
 */
export function render(value: unknown): string {
  return renderJson(jsonOf(value), undefined).text;
}

/** The indented form if it is within the budget, else the compact one. Nothing is ever cut. */
export function renderWithin(value: unknown, budget: RenderBudget): Rendered {
  return renderJson(jsonOf(value), limitsOf(budget));
}

/** Whether neither form is within the budget: what sets a caller's truncation flags before it fits. */
export function needsCut(value: unknown, budget: RenderBudget): boolean {
  return !renderWithin(value, budget).fits;
}

/** The one large text of an envelope. */
export interface BodyField {
  /** The text as it is in the value now. */
  body: string;
  /** Puts another text in its place: in the value, or in a new value that it returns. */
  setBody: (body: string) => unknown;
}

/**
 * Renders an envelope whose one large text may be shortened. Where even the compact form is over the budget, the text becomes the longest
 * prefix with which it is not, cut between grapheme clusters. An envelope that alone is over the budget gets an empty text and `fits: false`.
 *
 * @example
 * ```ts
 * const result = { status: 200, truncated: needsCut(response, 20_000), body };
 * const { text } = fitBody(result, 20_000, { body, setBody: (shorter) => { result.body = shorter; } });
 * ```
 */
export function fitBody(value: unknown, budget: RenderBudget, { body, setBody }: BodyField): Rendered {
  const limits = limitsOf(budget);
  const whole = renderJson(jsonOf(value), limits);
  if (whole.fits || limits === undefined) return whole;
  const withBody = (shorter: string) => jsonOf(setBody(shorter) ?? value);
  const around = withBody('');
  let kept = native().bodyPrefix(body, limits, around);
  for (;;) {
    const rendered = renderJson(withBody(body.slice(0, kept)), limits);
    if (rendered.fits || kept === 0) return rendered;
    // Lone surrogates are written longer than they are.
    kept = native().bodyPrefix(body.slice(0, kept - 1), limits, around);
  }
}

/** A response's body as text: a string is itself, another value its compact JSON; what is nothing, or has no JSON form, is empty. */
export function bodyText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  try {
    return jsonOf(value);
  } catch {
    return '';
  }
}

/** The characters that a list of these values has when it is rendered; `Infinity` where one has no JSON form, so that a merge refuses it. */
export function itemsSize(items: readonly unknown[]): number {
  try {
    return native().itemsSize(items.map(jsonOf));
  } catch (thrown) {
    if (thrown instanceof SnugfitError && thrown.code === 'INVALID_INPUT') return Infinity;
    throw thrown;
  }
}

/**
 * What a merge keeps free of a limit for the envelope around its collection: 4,096, at most a quarter of the limit. Accept a page only while
 * `itemsSize(items) <= limit - reserve(limit)`: cutting afterwards would leave a resume signal that points past what the caller got.
 */
export function reserve(limit: number): number {
  if (typeof limit !== 'number' || Number.isNaN(limit)) throw invalidOption('limit', limit, 'a number');
  return Math.max(0, Math.min(4096, Math.floor(limit / 4)));
}

/** The JSON text of a value. */
export function jsonOf(value: unknown): string {
  if (isRawJson(value)) return value.json;
  try {
    const json = toJson(value);
    if (json !== undefined) return json;
  } catch (thrown) {
    throw new SnugfitError('INVALID_INPUT', `the value has no JSON form: ${messageOf(thrown)}`, { cause: thrown });
  }
  throw new SnugfitError('INVALID_INPUT', `the value has no JSON form: it is ${typeof value}`);
}

function isRawJson(value: unknown): value is RawJson {
  if (typeof value !== 'object' || value === null) return false;
  const keys = Object.keys(value);
  return keys.length === 1 && keys[0] === 'json' && typeof (value as Partial<RawJson>).json === 'string';
}

/** The limits; `undefined` for none. */
function limitsOf(budget: RenderBudget): NativeBudget | undefined {
  return typeof budget === 'number' && (budget <= 0 || budget === Infinity) ? undefined : parseBudget('budget', budget);
}

function renderJson(json: string, limits: NativeBudget | undefined): Rendered {
  const { text = '', fits = false, form = 'compact' } = attempt(() => native().render(json, limits));
  return { text, fits, form };
}
