/**
 * The text of a value: a string as it is, a lone `{ result: x }` as `x`, everything else as `JSON.stringify` writes it. `undefined` for what
 * has no JSON form (`undefined`, functions, symbols); throws where `JSON.stringify` does (cycles, BigInt).
 */
export function textOf(value: unknown): string | undefined {
  const inner = isLoneResult(value) ? value.result : value;
  return typeof inner === 'string' ? inner : toJson(inner);
}

function isLoneResult(value: unknown): value is { result: unknown } {
  if (typeof value !== 'object' || value === null) return false;
  const keys = Object.keys(value);
  return keys.length === 1 && keys[0] === 'result';
}

/** `JSON.stringify` with its true type: `undefined` for what has no JSON form; throws for cycles and BigInt. */
export const toJson: (value: unknown) => string | undefined = JSON.stringify;

/** An object of any kind, to look for fields in. */
export function isObject(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null;
}

/** A promise, of whichever library. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as Partial<PromiseLike<unknown>>).then === 'function';
}
