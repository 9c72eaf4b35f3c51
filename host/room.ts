import { SnugfitError } from './errors.ts';
import { type AbortSignalLike, onAbort } from './signal.ts';

/** Bytes of large texts that are copied at a time, from the first piece that crosses the border until the text is fitted. */
export const ROOM = 256 * 2 ** 20;
/** Texts that take up to so many bytes wait for nobody. */
const SMALL = 2 * 2 ** 20;

/** Calls that wait for room, the first one next. */
const waiting: { bytes: number; enter: () => void }[] = [];
let taken = 0;

/**
 * Does `work` on texts of so many bytes when there is room for them beside those that others work on, in the order in which they came; what
 * is larger than all room goes alone. Until then nothing of them is copied, however many there are.
 */
export async function withRoom<T>(bytes: number, signal: AbortSignalLike | undefined, work: () => Promise<T>): Promise<T> {
  if (bytes <= SMALL) return work();
  await room(bytes, signal);
  try {
    return await work();
  } finally {
    taken -= bytes;
    admit();
  }
}

/** The bytes that a text takes once it has crossed: V8's strings come over as UTF-16. */
export function bytesOf(text: string | Uint8Array | undefined): number {
  return typeof text === 'string' ? 2 * text.length : (text?.byteLength ?? 0);
}

function room(bytes: number, signal: AbortSignalLike | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = () => {
      reject(new SnugfitError('ABORTED', 'the call was aborted while its result waited to be taken in. The tool has run.'));
    };
    if (signal?.aborted) {
      refuse();
      return;
    }
    const enter = () => {
      release?.();
      taken += bytes;
      resolve();
    };
    const call = { bytes, enter };
    const leave = () => {
      const at = waiting.indexOf(call);
      if (at >= 0) waiting.splice(at, 1);
      release?.();
      refuse();
      // Those behind it may have room.
      admit();
    };
    const release = signal && onAbort(signal, leave);
    waiting.push(call);
    admit();
  });
}

function admit(): void {
  for (let first = waiting[0]; first && (taken === 0 || taken + first.bytes <= ROOM); first = waiting[0]) {
    waiting.shift();
    first.enter();
  }
}
