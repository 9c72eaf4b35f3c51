import type { examine } from './fittable.ts';
import { type Call, deliver, examined } from './result.ts';
import { failFitted } from './thrown.ts';
import type { Toolset } from './toolset.ts';
import { isAsyncIterable } from './value.ts';

/**
 * The values of a streaming tool, the last one fitted: preliminary results pass as they are. Whether a value is the last shows only when the
 * next one comes, so a value that may have to be fitted is held back until then; all others pass at once.
 */
export async function* fitLast(toolset: Toolset, call: Call, source: AsyncIterable<unknown>): AsyncGenerator {
  const { seat } = call;
  seat?.join();
  let held: Held | undefined;
  try {
    for await (const value of seat?.steps(source) ?? source) {
      if (held !== undefined) {
        const preliminary = held.value;
        held = undefined;
        yield preliminary;
      }
      const found = examined(toolset, call, value);
      if (found === undefined) yield value;
      else held = { value, found };
    }
  } catch (thrown) {
    // The tool had yielded it before it failed.
    const yielded = held;
    held = undefined;
    if (yielded !== undefined) yield yielded.value;
    if (toolset.options.errors === 'fit') await failFitted(toolset, call, thrown);
    throw thrown;
  } finally {
    // Also where nobody reads on.
    if (held === undefined) seat?.leave();
  }
  if (held !== undefined) yield await delivered(toolset, call, held);
}

interface Held {
  value: unknown;
  found: ReturnType<typeof examine>;
}

async function delivered(toolset: Toolset, call: Call, { value, found }: Held): Promise<unknown> {
  try {
    return await deliver(toolset, call, value, found);
  } finally {
    // What has no JSON form asks for no share.
    call.seat?.leave();
  }
}

/** The last value of a stream; any other value itself. */
export async function lastOf(returned: unknown): Promise<unknown> {
  const value = await returned;
  if (!isAsyncIterable(value)) return value;
  let last: unknown;
  for await (const item of value) last = item;
  return last;
}
