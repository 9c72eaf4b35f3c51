import type { NativeBudget } from './binding.ts';
import { certainlyFits } from './budget.ts';
import { type Envelope, blockTexts, isEnvelope, isExempt } from './envelope.ts';
import { SnugfitError, messageOf } from './errors.ts';
import { isObject, textOf } from './value.ts';

/** The text of a result that counts against the budget: one text, or the text blocks of an envelope. */
export type Fittable = { text: string } | { envelope: Envelope; texts: string[] };

/** What of a result may have to be fitted; `undefined` where it stays as it is; an error that says why it cannot be read as text. */
export function examine(value: unknown, budget: NativeBudget): Fittable | SnugfitError | undefined {
  if (isEnvelope(value)) {
    if (isExempt(value)) return undefined;
    const texts = blockTexts(value);
    return certainlyFits(texts, budget) ? undefined : { envelope: value, texts };
  }
  if (isValidationError(value)) return undefined;
  try {
    const text = textOf(value);
    return text === undefined || certainlyFits([text], budget) ? undefined : { text };
  } catch (thrown) {
    return noJsonForm(thrown);
  }
}

/** The complete envelope as it is kept. */
export function originalOf(envelope: Envelope): string {
  try {
    return JSON.stringify(envelope);
  } catch (thrown) {
    throw noJsonForm(thrown);
  }
}

function noJsonForm(cause: unknown): SnugfitError {
  return new SnugfitError('INVALID_INPUT', `the result has no JSON form: ${messageOf(cause)}`, { cause });
}

/** Mastra's answer to input that fails a tool's schema: an error as good as thrown. */
function isValidationError(value: unknown): boolean {
  return isObject(value) && value.error === true && typeof value.message === 'string' && 'validationErrors' in value;
}
