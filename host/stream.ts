import { examine } from './fittable.ts';
import { type Call, deliver } from './result.ts';
import { failFitted } from './thrown.ts';
import type { Toolset } from './toolset.ts';

/**
 * The values of a streaming tool, the last one fitted: preliminary results pass as they are. Whether a value is the last shows only when the
 * next one comes, so a value that may have to be fitted is held back until then; all others pass at once.
 */
export async function* fitLast(toolset: Toolset, call: Call, source: AsyncIterable<unknown>): AsyncGenerator {
  let held: { value: unknown; found: ReturnType<typeof examine> } | undefined;
  try {
    for await (const value of source) {
      if (held !== undefined) {
        const preliminary = held.value;
        held = undefined;
        yield preliminary;
      }
      const found = examine(value, call.native.budget, toolset.options);
      if (found === undefined) yield value;
      else held = { value, found };
    }
  } catch (thrown) {
    // The tool had yielded it before it failed.
    if (held !== undefined) yield held.value;
    if (toolset.options.errors === 'fit') await failFitted(toolset, call, thrown);
    throw thrown;
  }
  if (held !== undefined) yield await deliver(toolset, call, held.value, held.found);
}

/** Whether a tool streams. */
export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** The last value of a stream; any other value itself. */
export async function lastOf(returned: unknown): Promise<unknown> {
  const value = await returned;
  if (!isAsyncIterable(value)) return value;
  let last: unknown;
  for await (const item of value) last = item;
  return last;
}
