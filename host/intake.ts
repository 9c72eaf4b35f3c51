import { setImmediate as turn } from 'node:timers/promises';
import type { NativeInput } from './binding.ts';
import { SnugfitError } from './errors.ts';
import { native } from './native.ts';
import type { AbortSignalLike } from './signal.ts';

/** UTF-16 units that cross at once: some 0.2 ms of the event loop. */
const PIECE = 1 << 20;

/** A text in the form in which it crosses the border: a large string goes over in pieces, with turns of the event loop between. */
export async function takeIn(text: string | Uint8Array, signal: AbortSignalLike | undefined): Promise<NativeInput> {
  if (typeof text !== 'string' || text.length <= PIECE) return text;
  const intake = new (native().Intake)(text.length);
  for (let at = 0; at < text.length; at += PIECE) {
    if (signal?.aborted) throw new SnugfitError('ABORTED', 'the call was aborted while its result was taken in. The tool has run.');
    intake.push(text.slice(at, at + PIECE));
    await turn();
  }
  return intake;
}

/** As {@link takeIn}, one text after the other. */
export async function takeInAll(texts: readonly string[], signal: AbortSignalLike | undefined): Promise<NativeInput[]> {
  const inputs: NativeInput[] = [];
  for (const text of texts) inputs.push(text.length <= PIECE ? text : await takeIn(text, signal));
  return inputs;
}
