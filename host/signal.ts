import type { NativeCancel } from './binding.ts';
import { native } from './native.ts';
import { isObject } from './value.ts';

/** As much of an `AbortSignal` as is needed, so that no DOM types are. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * The abort signal of a tool call, where hosts put it: in one of the arguments after the input, as `abortSignal` (AI SDK, Mastra), `signal`
 * (LangChain, OpenAI Agents, just-bash) or `mcpReq.signal` (MCP SDK v2).
 */
export function findSignal(args: readonly unknown[]): AbortSignalLike | undefined {
  for (const options of args.slice(1)) {
    if (!isObject(options)) continue;
    const places = [options.abortSignal, options.signal, isObject(options.mcpReq) ? options.mcpReq.signal : undefined];
    const signal = places.find(isSignal);
    if (signal !== undefined) return signal;
  }
  return undefined;
}

/** Whether a value is an abort signal, of whichever realm or polyfill. */
export function isSignal(value: unknown): value is AbortSignalLike {
  return (
    isObject(value) &&
    typeof value.aborted === 'boolean' &&
    typeof value.addEventListener === 'function' &&
    typeof value.removeEventListener === 'function'
  );
}

/** Runs native work that leaves the queue when the signal aborts. */
export async function cancellable<T>(signal: AbortSignalLike | undefined, work: (cancel?: NativeCancel) => Promise<T>): Promise<T> {
  if (signal === undefined) return work();
  const cancel = new (native().Cancel)();
  const onAbort = () => cancel.cancel();
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort);
  try {
    return await work(cancel);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
