import type { NativeFailure } from './binding.ts';
import { type ErrorCode, SnugfitError, isErrorCode, messageOf } from './errors.ts';

// The one place where what goes wrong in the addon becomes an exception.

/** Waits for a native call and throws its failure. */
export async function settle<Outcome extends { error?: NativeFailure }>(call: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return unwrap(await call());
  } catch (thrown) {
    throw asSnugfitError(thrown);
  }
}

/** Makes a native call that answers at once, and throws its failure. */
export function attempt<Outcome extends object>(call: () => Outcome): Outcome {
  try {
    return unwrap(call());
  } catch (thrown) {
    throw asSnugfitError(thrown);
  }
}

/** Whatever was thrown, as our own error: what has none of our codes is a fault of ours. */
export function asSnugfitError(thrown: unknown): SnugfitError {
  if (thrown instanceof SnugfitError) return thrown;
  return new SnugfitError(codeOf(thrown), `snugfit failed: ${messageOf(thrown)}`, { cause: thrown });
}

function unwrap<Outcome extends { error?: NativeFailure }>(outcome: Outcome): Outcome {
  const { error } = outcome;
  if (error === undefined) return outcome;
  throw new SnugfitError(codeOf(error), error.message, { needed: error.needed });
}

function codeOf(failure: unknown): ErrorCode {
  const code = (failure as { code?: unknown } | null | undefined)?.code;
  return isErrorCode(code) ? code : 'INTERNAL';
}
