import type { NativeSession } from './binding.ts';

/** Expired originals are freed within a minute. */
const EVERY_MS = 30_000;

/** Weak, so that a toolset that nobody holds any more goes, and its store with it. */
const sessions = new Set<WeakRef<NativeSession>>();
let timer: NodeJS.Timeout | undefined;

/** Frees a session's expired originals from time to time, for as long as the session is in use; never keeps the process alive. */
export function keepSwept(session: NativeSession): void {
  sessions.add(new WeakRef(session));
  timer ??= setInterval(sweepAll, EVERY_MS).unref();
}

/** Ends that at once. */
export function stopSweeping(session: NativeSession): void {
  for (const reference of sessions) if (reference.deref() === session) sessions.delete(reference);
  stopIfIdle();
}

function sweepAll(): void {
  for (const reference of sessions) {
    const session = reference.deref();
    if (session === undefined) sessions.delete(reference);
    else session.sweep();
  }
  stopIfIdle();
}

function stopIfIdle(): void {
  if (sessions.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}
