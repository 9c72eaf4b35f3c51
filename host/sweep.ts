import type { NativeSession } from './binding.ts';

/** Expired originals are freed within a minute. */
const EVERY_MS = 30_000;

/** Weak, so that a toolset that nobody holds any more goes, and its store with it. */
const sessions = new Set<WeakRef<NativeSession>>();
let timer: NodeJS.Timeout | undefined;

/** Frees a session's expired originals from time to time, until the returned function is called; never keeps the process alive. */
export function keepSwept(session: NativeSession): () => void {
  const reference = new WeakRef(session);
  sessions.add(reference);
  timer ??= setInterval(sweepAll, EVERY_MS).unref();
  return () => forget(reference);
}

function sweepAll(): void {
  for (const reference of sessions) {
    const session = reference.deref();
    if (session === undefined) forget(reference);
    else session.sweep();
  }
}

function forget(reference: WeakRef<NativeSession>): void {
  sessions.delete(reference);
  if (sessions.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}
