import type { FitOutcome } from './binding.ts';
import { invalidOption } from './check.ts';
import { SnugfitError, messageOf } from './errors.ts';
import { type FitOptions, parseFitOptions } from './fit-options.ts';
import { takeIn } from './intake.ts';
import { native } from './native.ts';
import { attempt, settle } from './outcome.ts';
import { type Report, toReport } from './report.ts';
import { bytesOf, withRoom } from './room.ts';
import { type AbortSignalLike, cancellable, isSignal } from './signal.ts';
import { textOf } from './value.ts';

/** A fitted text and what was cut from it. */
export interface FitResult {
  /** The text, within the budget; the text of the value itself where that fits. */
  text: string;
  /** What was cut. */
  report: Report;
}

/**
 * Fits a value into a budget, on a worker: the engine alone, with no store and no notice. A string is JSON if it parses as JSON, else text;
 * bytes are UTF-8; any other value is written as JSON first.
 *
 * Rejects with `INVALID_OPTION`, `INVALID_INPUT` (a value without a JSON form), `BUDGET_TOO_SMALL`, `ABORTED` or `NATIVE_MISSING`.
 *
 * @example
 * ```ts
 * const { text, report } = await fit(await response.text(), { budget: { chars: 6000 }, toolName: 'fetch' });
 * ```
 */
export async function fit(value: unknown, options: FitOptions & { signal?: AbortSignalLike | undefined }): Promise<FitResult> {
  const parsed = parseFitOptions(options, ['signal']);
  const { signal } = options;
  if (signal !== undefined && !isSignal(signal)) throw invalidOption('signal', signal, 'an AbortSignal');
  const input = inputOf(value);
  const outcome = await withRoom(bytesOf(input), signal, async () => {
    const crossed = await takeIn(input, signal);
    return cancellable(signal, (cancel) => settle(() => native().fit(crossed, parsed, cancel)));
  });
  return toResult(input, outcome);
}

/** As {@link fit}, at once and on this thread: for small values and scripts. Throws what `fit` rejects with. */
export function fitSync(value: unknown, options: FitOptions): FitResult {
  const parsed = parseFitOptions(options);
  const input = inputOf(value);
  const binding = native();
  return toResult(
    input,
    attempt(() => binding.fitSync(input, parsed)),
  );
}

function inputOf(value: unknown): string | Uint8Array {
  if (value instanceof Uint8Array) return value;
  try {
    const input = textOf(value);
    if (input !== undefined) return input;
  } catch (thrown) {
    throw new SnugfitError('INVALID_INPUT', `the value has no JSON form: ${messageOf(thrown)}`, { cause: thrown });
  }
  throw new SnugfitError('INVALID_INPUT', `the value has no JSON form: it is ${typeof value}`);
}

function toResult(input: string | Uint8Array, { text: fitted, report }: FitOutcome): FitResult {
  if (report === undefined) throw new SnugfitError('INTERNAL', 'snugfit failed: the addon gave no report');
  const unchanged = () => (typeof input === 'string' ? input : new TextDecoder('utf-8', { ignoreBOM: true }).decode(input));
  return { text: fitted ?? unchanged(), report: toReport(report) };
}
