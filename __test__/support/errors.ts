import type { SnugfitError } from '../../host/index.ts';

/** The error that a call throws or rejects with; any other kind of error is thrown on. */
export async function failureOf(call: () => unknown): Promise<SnugfitError> {
  try {
    await call();
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && ['SnugfitError', 'AbortError'].includes(thrown.name)) return thrown as SnugfitError;
    throw thrown;
  }
  throw new Error('the call did not fail');
}
