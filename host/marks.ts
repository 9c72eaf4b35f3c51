import type { NativeOptions } from './binding.ts';

/**
 * Marks on functions that are ours. They stand on `execute` because hosts spread tools into new objects, and are registered symbols because
 * a process may hold this package twice.
 */
const WRAPPED = Symbol.for('snugfit.wrapped');
const RECOVERY = Symbol.for('snugfit.recovery');

type Executor = (...args: never[]) => unknown;

/** How the readers of a surface call a recovery tool, by the tool's name in its map. */
export type RecoveryCalls = ReadonlyMap<string, Pick<NativeOptions, 'recoveryTool' | 'recoveryCall' | 'recoveryBy'>>;

/** What a surface makes of results. */
export interface Handing {
  /** `text`: one string. `typed`: a value, and a `Preview` in the place of one that was cut. */
  form: 'text' | 'typed';
  calls: RecoveryCalls;
}

/** Marks an `execute` whose results are fitted; `handing` gives one that does the same for another surface. */
export function markWrapped<F extends Executor>(execute: F, handing?: (how: Handing) => Executor): F {
  return Object.defineProperty(execute, WRAPPED, { value: handing ?? true });
}

/** What a surface runs in place of a wrapped `execute`. */
export function handingExecutor(execute: object, how: Handing): Executor | undefined {
  const { [WRAPPED]: handing } = execute as { [WRAPPED]?: unknown };
  return typeof handing === 'function' ? (handing as (how: Handing) => Executor)(how) : undefined;
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
