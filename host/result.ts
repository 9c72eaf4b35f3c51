import type { NativeCancel, NativeReport } from './binding.ts';
import { withTexts } from './envelope.ts';
import { SnugfitError } from './errors.ts';
import { type FitEvent, notify } from './event.ts';
import { type Fittable, examine, originalOf } from './fittable.ts';
import { asSnugfitError, settle } from './outcome.ts';
import { toReport } from './report.ts';
import { cancellable, findSignal } from './signal.ts';
import type { Toolset } from './toolset.ts';
import { toJson } from './value.ts';

/** A call whose result is to be fitted. */
export interface Call {
  /** The tool's name in the map. */
  tool: string;
  /** What `execute` was called with. */
  args: readonly unknown[];
}

/** What came of a native fit; without `preview` the result stays as it is. */
interface Fitted {
  preview?: { value: unknown };
  report: NativeReport | undefined;
  responseId: string | undefined;
}

/** Larger arguments are content rather than a question, and would only cost time. */
const MOST_ARGUMENTS = 65_536;

/** The result itself where it fits or is none of our business; else a promise of what takes its place. */
export function fitResult(toolset: Toolset, call: Call, value: unknown): unknown {
  return deliver(toolset, call, value, examine(value, toolset.native.budget));
}

/** Does what {@link examine} found has to be done. */
export function deliver(toolset: Toolset, call: Call, value: unknown, found: ReturnType<typeof examine>): unknown {
  if (found === undefined) return value;
  if (!(found instanceof SnugfitError)) return fitOversized(toolset, call, value, found);
  notify(toolset.onFit, { tool: call.tool, outcome: 'passed', ms: 0, error: found });
  return value;
}

async function fitOversized(toolset: Toolset, call: Call, value: unknown, found: Fittable): Promise<unknown> {
  const started = performance.now();
  const tell = (event: Omit<FitEvent, 'tool' | 'ms'>) =>
    notify(toolset.onFit, { tool: call.tool, ms: performance.now() - started, ...event });
  try {
    const fitted = await cancellable(findSignal(call.args), (cancel) => fitNatively(toolset, call, found, cancel));
    if (fitted.preview === undefined) return value;
    tell({ outcome: 'fitted', ...describe(fitted) });
    return fitted.preview.value;
  } catch (thrown) {
    const error = asSnugfitError(thrown);
    // Neither a fault of ours nor an envelope that cannot be kept may cost the host its result.
    const passes = error.code === 'INTERNAL' || error.code === 'INVALID_INPUT';
    tell({ outcome: passes ? 'passed' : 'failed', error });
    if (passes) return value;
    throw error;
  }
}

async function fitNatively(toolset: Toolset, call: Call, found: Fittable, cancel: NativeCancel | undefined): Promise<Fitted> {
  const options = { ...toolset.native, toolName: call.tool, arguments: argumentsOf(call) };
  if ('text' in found) {
    const { text, report, responseId } = await settle(() => toolset.session.fit(found.text, options, cancel));
    return { ...(text !== undefined && { preview: { value: text } }), report, responseId };
  }
  const original = originalOf(found.envelope);
  const outcome = await settle(() => toolset.session.fitBlocks(found.texts, original, options, cancel));
  const changed = outcome.texts?.some((text) => text !== null) ?? false;
  return {
    ...(changed && { preview: { value: withTexts(found.envelope, outcome) } }),
    report: outcome.report,
    responseId: outcome.responseId,
  };
}

/** What the caller asked for, as JSON, where that is possible. */
function argumentsOf({ args }: Call): string {
  try {
    const json = toJson(args[0]);
    return json === undefined || json.length > MOST_ARGUMENTS ? '' : json;
  } catch {
    return '';
  }
}

function describe({ report, responseId }: Fitted): Partial<FitEvent> {
  return {
    ...(report && { before: report.inputChars, after: report.outputChars, report: toReport(report) }),
    ...(responseId !== undefined && { responseId }),
  };
}
