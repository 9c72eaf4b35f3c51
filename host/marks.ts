/**
 * Marks on functions that are ours. They stand on `execute` because hosts spread tools into new objects, and are registered symbols because
 * a process may hold this package twice.
 */
const WRAPPED = Symbol.for('snugfit.wrapped');
const RECOVERY = Symbol.for('snugfit.recovery');

type Executor = (...args: never[]) => unknown;

/** Marks an `execute` whose results are fitted; `asText` does the same for surfaces that hand out strings. */
export function markWrapped<F extends Executor>(execute: F, asText?: Executor): F {
  return Object.defineProperty(execute, WRAPPED, { value: asText ?? true });
}

/** What surfaces that hand out strings run in place of a wrapped `execute`. */
export function textExecutor(execute: object): Executor | undefined {
  const { [WRAPPED]: asText } = execute as { [WRAPPED]?: unknown };
  return typeof asText === 'function' ? (asText as Executor) : undefined;
}

/** Marks the `execute` of a recovery tool. */
export function markRecovery<F extends Executor>(execute: F): F {
  return Object.defineProperty(execute, RECOVERY, { value: true });
}

/** Whether results of this `execute` are fitted already. */
export function isWrapped(execute: object): boolean {
  return WRAPPED in execute;
}

/** Whether this is the `execute` of a recovery tool. */
export function isRecovery(execute: object): boolean {
  return RECOVERY in execute;
}
