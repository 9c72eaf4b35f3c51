import type { SnugfitError } from './errors.ts';
import type { Report } from './report.ts';

/** What {@link ShrinkfitOptions.onFit} is told about a result that was over the budget, or that could not be read. */
export interface FitEvent {
  /** The tool's name in the map. */
  tool: string;
  /** `fitted`: a preview went out. `passed`: the original went out, see `error`. `failed`: the call failed with `error`. */
  outcome: 'fitted' | 'passed' | 'failed';
  /** Unicode characters of the result, where it could be read. */
  before?: number;
  /** Unicode characters of what went out in its place, where it was fitted. */
  after?: number;
  /** Milliseconds from the tool's result to ours, waiting for a worker included. */
  ms: number;
  /** What was cut. */
  report?: Report;
  /** The id that recovers the original. */
  responseId?: string;
  /** Why the result was not fitted. */
  error?: SnugfitError;
}

/** A listener's fault must not cost a tool its result: it becomes a process warning. */
export function notify(listener: ((event: FitEvent) => unknown) | undefined, event: FitEvent): void {
  if (listener === undefined) return;
  const warn = (thrown: unknown) => process.emitWarning(`onFit failed: ${String(thrown)}`, { code: 'SNUGFIT_ON_FIT' });
  try {
    const returned = listener(event);
    if (returned instanceof Promise) returned.catch(warn);
  } catch (thrown) {
    warn(thrown);
  }
}
