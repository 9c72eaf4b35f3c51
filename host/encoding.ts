import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SnugfitError, messageOf } from './errors.ts';
import { native } from './native.ts';

/** The ways to count tokens, the default first. */
export const ENCODINGS = ['estimate', 'o200k_base', 'cl100k_base'] as const;

/**
 * How tokens are counted: exactly as OpenAI's encodings do, or as a third of the bytes of UTF-8, a high estimate for models whose
 * tokenizer is not public.
 */
export type Encoding = (typeof ENCODINGS)[number];

/** Hands the addon the vocabulary that an encoding needs, the first time that it is named. */
export function provideVocabulary(encoding: Encoding): void {
  const binding = native();
  if (binding.hasEncoding(encoding)) return;
  const path = fileURLToPath(new URL(`../crates/vocabulary/data/${encoding}.bpe`, import.meta.url));
  try {
    binding.addVocabulary(encoding, readFileSync(path));
  } catch (thrown) {
    throw new SnugfitError('NATIVE_MISSING', `snugfit has no vocabulary of ${encoding}: ${messageOf(thrown)}. Install snugfit again.`, {
      cause: thrown,
    });
  }
}
