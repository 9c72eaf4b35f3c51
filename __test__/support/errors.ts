import { SnugfitError } from '../../host/index.ts';

/** The error that a call throws or rejects with. */
export async function failureOf(call: () => unknown): Promise<SnugfitError> {
  try {
    await call();
  } catch (thrown) {
    if (thrown instanceof SnugfitError) return thrown;
    throw thrown;
  }
  throw new Error('the call did not fail');
}
