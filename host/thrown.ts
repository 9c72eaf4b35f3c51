import { type Call, fitResult } from './result.ts';
import type { Toolset } from './toolset.ts';
import { isObject } from './value.ts';

/** Fails with what a tool has thrown, its message fitted where it is too long. Aborts are nobody's text. */
export async function failFitted(toolset: Toolset, failed: Call, thrown: unknown): Promise<never> {
  // A message has no type.
  const call: Call = { ...failed, form: 'value' };
  if (typeof thrown === 'string') throw await fitResult(toolset, call, thrown);
  if (!isObject(thrown) || typeof thrown.message !== 'string' || thrown.name === 'AbortError') throw thrown;
  const message = await fitResult(toolset, call, thrown.message);
  if (message !== thrown.message) throw withMessage(thrown, String(message));
  // eslint-disable-next-line @typescript-eslint/only-throw-error -- it is thrown on
  throw thrown;
}

/** An error of the same class and with the same fields but for its message; its cause is the error itself. */
function withMessage(error: object, message: string): Error {
  const copy = new Error(message, { cause: error });
  for (const [name, field] of Object.entries(Object.getOwnPropertyDescriptors(error))) {
    if (!['message', 'cause', 'stack'].includes(name)) Object.defineProperty(copy, name, field);
  }
  Object.setPrototypeOf(copy, Object.getPrototypeOf(error) as object | null);
  return copy;
}
