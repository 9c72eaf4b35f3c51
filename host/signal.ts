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

/** What is told when a signal aborts. */
const told = new WeakMap<AbortSignalLike, { all: Set<() => void>; tell: () => void }>();

/**
 * Calls `listener` once the signal aborts; gives what takes it back. Calls that share a signal share one listener on it: Node warns of a leak from the eleventh on.
 * One that has aborted before is for the caller to see.
 */
export function onAbort(signal: AbortSignalLike, listener: () => void): () => void {
  const listeners = told.get(signal) ?? listen(signal);
  listeners.all.add(listener);
  return () => {
    listeners.all.delete(listener);
    if (listeners.all.size > 0 || told.get(signal) !== listeners) return;
    signal.removeEventListener('abort', listeners.tell);
    told.delete(signal);
  };
}

function listen(signal: AbortSignalLike) {
  const all = new Set<() => void>();
  const listeners = { all, tell: () => [...all].forEach((listener) => listener()) };
  told.set(signal, listeners);
  signal.addEventListener('abort', listeners.tell);
  return listeners;
}

/** Runs native work that leaves the queue when the signal aborts. */
export async function cancellable<T>(signal: AbortSignalLike | undefined, work: (cancel?: NativeCancel) => Promise<T>): Promise<T> {
  if (signal === undefined) return work();
  const cancel = new (native().Cancel)();
  if (signal.aborted) cancel.cancel();
  const release = onAbort(signal, () => cancel.cancel());
  try {
    return await work(cancel);
  } finally {
    release();
  }
}
