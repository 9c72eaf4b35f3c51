import { types } from 'node:util';

/**
 * The text of a value: a string as it is, a lone `{ result: x }` as `x`, everything else as {@link toJson} writes it. `undefined` for what
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

/** `JSON.stringify` with its true type. */
const stringify: (value: unknown, replacer?: (key: string, value: unknown) => unknown) => string | undefined = JSON.stringify;

/**
 * The JSON of a value. Where `JSON.stringify` would write nothing of what is inside (`{}` for a `Map`), collections come out as what they hold:
 * a `Set` and a typed array as a list, a `Map` as an object, or as a list of pairs where its keys are no strings. `undefined` for what has no
 * JSON form; throws for cycles and BigInt.
 */
export function toJson(value: unknown): string | undefined {
  const json = stringify(value);
  // A replacer costs several times the plain way; few values need one.
  return json !== undefined && holdsOpaque(value) ? stringify(value, opened) : json;
}

/** Whether somewhere in a value without cycles there is something that JSON would not look into. */
function holdsOpaque(value: unknown): boolean {
  const open = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (!isObject(next)) continue;
    if (isOpaque(next)) return true;
    if (typeof next.toJSON === 'function') continue;
    for (const inner of Array.isArray(next) ? (next as unknown[]) : Object.values(next)) {
      if (typeof inner === 'object' && inner !== null) open.push(inner);
    }
  }
  return false;
}

function isOpaque(value: object): boolean {
  if (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype) return false;
  return types.isMap(value) || types.isSet(value) || types.isRegExp(value) || types.isNativeError(value) || isBinary(value);
}

/** Buffers say themselves what they are. */
function isBinary(value: object): value is ArrayBufferLike | ArrayBufferView {
  return types.isAnyArrayBuffer(value) || (ArrayBuffer.isView(value) && !Buffer.isBuffer(value));
}

/** A replacer that opens what JSON would not look into. */
function opened(key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !isOpaque(value)) return value;
  if (types.isMap(value)) {
    const entries = [...value];
    return entries.every(([name]) => typeof name === 'string') ? Object.fromEntries(entries) : entries;
  }
  if (types.isSet(value)) return [...value];
  if (types.isRegExp(value)) return String(value);
  if (isBinary(value)) return listOf(value);
  // An error that is the whole value stays what it is.
  return key === '' ? value : { name: (value as Error).name, message: (value as Error).message, ...value };
}

function listOf(binary: ArrayBufferLike | ArrayBufferView): unknown[] {
  if (!ArrayBuffer.isView(binary)) return [...new Uint8Array(binary)];
  if (binary instanceof DataView) return [...new Uint8Array(binary.buffer, binary.byteOffset, binary.byteLength)];
  return Array.from(binary as unknown as ArrayLike<unknown>);
}

/** An object of any kind, to look for fields in. */
export function isObject(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null;
}

/** A promise, of whichever library. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as Partial<PromiseLike<unknown>>).then === 'function';
}

/** Whether a value is a stream of values. */
export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
