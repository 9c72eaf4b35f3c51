import { isUtf8 } from 'node:buffer';
import type { NativeBudget } from './binding.ts';
import { certainlyFits } from './budget.ts';
import { type Envelope, blockTexts, hasMedia, isEnvelope, isError, joinTexts } from './envelope.ts';
import { SnugfitError, messageOf } from './errors.ts';
import type { ParsedOptions } from './options.ts';
import { isObject, textOf, toJson } from './value.ts';

/** What counts against the budget: one text (bytes are UTF-8), or the text blocks of an envelope and maybe its structured content. */
export type Fittable = { text: string | Uint8Array } | FittableEnvelope;

export interface FittableEnvelope {
  envelope: Envelope;
  texts: string[];
  /** As JSON, where it counts as the texts do. */
  structured: string | undefined;
  /** One text takes the place of the whole envelope. */
  joined: boolean;
}

/** As much of the options as says what is fitted at all. */
export type Policy = Pick<ParsedOptions, 'structured' | 'errors' | 'multimodal'>;

/**
 * What takes a result's place: a value of the same kind; one text, for surfaces that hand out strings; or a value that says whether it was
 * cut, for programs that know its type.
 */
export type Form = 'value' | 'text' | 'typed';

/** What of a result may have to be fitted; `undefined` where it stays as it is; an error that says why it cannot be read as text. */
export function examine(value: unknown, budget: NativeBudget, policy: Policy, form: Form = 'value'): Fittable | SnugfitError | undefined {
  if (value instanceof Uint8Array) return bytesFit(value, budget) || !isText(value) ? undefined : { text: value };
  try {
    if (isEnvelope(value)) return examineEnvelope(value, budget, policy, form);
    if (isValidationError(value)) return undefined;
    const text = textOf(value);
    return text === undefined || certainlyFits([text], budget) ? undefined : { text };
  } catch (thrown) {
    return noJsonForm(thrown);
  }
}

function examineEnvelope(envelope: Envelope, budget: NativeBudget, policy: Policy, form: Form): Fittable | undefined {
  if ((policy.errors === 'keep' && isError(envelope)) || (policy.multimodal === 'keep' && hasMedia(envelope))) return undefined;
  const texts = blockTexts(envelope);
  // A text can be neither an error nor a picture.
  const joined = form === 'text' && !isError(envelope) && !hasMedia(envelope);
  if (joined) return certainlyFits([joinTexts(texts)], budget) ? undefined : { envelope, texts, structured: undefined, joined };
  const structured = policy.structured === 'auto' ? toJson(envelope.structuredContent) : undefined;
  return certainlyFits(structured === undefined ? texts : [...texts, structured], budget)
    ? undefined
    : { envelope, texts, structured, joined };
}

/** The texts that count together. */
export function countedTexts(found: Fittable): (string | Uint8Array)[] {
  if ('text' in found) return [found.text];
  if (found.joined) return [joinTexts(found.texts)];
  return found.structured === undefined ? found.texts : [...found.texts, found.structured];
}

/** Whether texts are within a budget for certain. */
export function fitsFor(texts: readonly (string | Uint8Array)[], budget: NativeBudget): boolean {
  const [first] = texts;
  if (first instanceof Uint8Array) return bytesFit(first, budget);
  return certainlyFits(texts as readonly string[], budget);
}

/** The value has no JSON form. */
export function noJsonForm(cause: unknown): SnugfitError {
  return new SnugfitError('INVALID_INPUT', `the result has no JSON form: ${messageOf(cause)}`, { cause });
}

/** A character of UTF-8 is a byte at least, and so is a token. */
function bytesFit({ length }: Uint8Array, { chars = Infinity, bytes = Infinity, tokens = Infinity, lines }: NativeBudget): boolean {
  return length <= Math.min(chars, bytes, tokens) && lines === undefined;
}

/** What is no UTF-8 is no text: an image, an archive. */
function isText(bytes: Uint8Array): boolean {
  try {
    return isUtf8(bytes);
  } catch {
    // The memory was given away.
    return false;
  }
}

/** Mastra's answer to input that fails a tool's schema: an error as good as thrown. */
function isValidationError(value: unknown): boolean {
  return isObject(value) && value.error === true && typeof value.message === 'string' && 'validationErrors' in value;
}
