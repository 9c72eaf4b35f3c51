import type { BlocksOutcome, FitOutcome, NativeBudget, NativeOptions, NativeReport } from './binding.ts';
import { isEnvelope, jsonAround, previewOf } from './envelope.ts';
import { SnugfitError, messageOf } from './errors.ts';
import { type FitEvent, notify } from './event.ts';
import { type Fittable, type Form, type Policy, countedTexts, examine, fitsFor, noJsonForm } from './fittable.ts';
import { takeIn, takeInAll } from './intake.ts';
import { isHostStore } from './originals.ts';
import { asSnugfitError, attempt, settle } from './outcome.ts';
import { Preview, noticeOf } from './preview.ts';
import { redacted } from './redact.ts';
import { toReport } from './report.ts';
import { bytesOf, withRoom } from './room.ts';
import { cancellable, findSignal } from './signal.ts';
import type { Toolset } from './toolset.ts';
import type { Seat } from './turn.ts';
import { toJson } from './value.ts';

/** A call whose result is to be fitted. */
export interface Call {
  /** The tool's name in the map. */
  tool: string;
  /** What `execute` was called with. */
  args: readonly unknown[];
  /** How this tool's results are fitted. */
  native: NativeOptions;
  form?: Form;
  /** What of its result is fitted, where that is not for the toolset's options to say. */
  policy?: Policy;
  /** Its place in the turn whose results share an allowance. */
  seat?: Seat | undefined;
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
  return deliver(toolset, call, value, examined(toolset, call, value));
}

/** What of a result may have to be fitted; in a turn every text counts. */
export function examined(toolset: Toolset, call: Call, value: unknown): ReturnType<typeof examine> {
  return examine(value, call.seat === undefined ? call.native.budget : NOTHING, call.policy ?? toolset.options, call.form);
}

/** A budget that no text is within. */
const NOTHING: NativeBudget = { chars: 0 };

/** Does what {@link examine} found has to be done. */
export function deliver(toolset: Toolset, call: Call, value: unknown, found: ReturnType<typeof examine>): unknown {
  if (found === undefined) return value;
  if (!(found instanceof SnugfitError))
    return call.seat === undefined ? fitOversized(toolset, call, value, found) : fitShare(toolset, call, value, found);
  notify(toolset.options.onFit, { tool: call.tool, outcome: 'passed', ms: 0, error: found });
  return value;
}

/**
 * As {@link fitResult}, at once, holding the event loop: for hosts that cannot wait. With a store of the host's nothing can be promised in
 * time, so the result stays as it is.
 */
export function fitResultNow(toolset: Toolset, call: Call, value: unknown): unknown {
  const given = examine(value, call.native.budget, call.policy ?? toolset.options);
  if (given === undefined || given instanceof SnugfitError) return deliver(toolset, call, value, given);
  if (toolset.originals.late) {
    const message = 'this host does not wait for a store of your own, so nothing was fitted; use limits for the store, or a newer host.';
    return deliver(toolset, call, value, new SnugfitError('STORE_FAILED', message));
  }
  const account = open(toolset, call);
  try {
    const found = redacted(given, toolset.options.redact);
    const options = fitOptions(toolset, call);
    const { session } = toolset;
    if ('text' in found)
      return account.close(
        value,
        fittedText(
          given,
          found,
          attempt(() => session.fitSync(found.text, options)),
        ),
      );
    const around = stringify(() => jsonAround(found.envelope));
    const outcome = attempt(() => session.fitBlocksSync(found.texts, around, found.structured ?? null, options));
    return account.close(value, fittedEnvelope(given, found, outcome));
  } catch (thrown) {
    return account.fail(value, thrown);
  }
}

/** Fits a result to its share of the turn. */
async function fitShare(toolset: Toolset, call: Call, value: unknown, found: Fittable): Promise<unknown> {
  const texts = countedTexts(found);
  // A result that is there at once would be the only one of its turn: a host begins its calls one after the other.
  await Promise.resolve();
  const budget = (await call.seat?.claim(texts, call.native.budget, findSignal(call.args))) ?? call.native.budget;
  return fitsFor(texts, budget) ? value : fitOversized(toolset, { ...call, native: { ...call.native, budget } }, value, found);
}

async function fitOversized(toolset: Toolset, call: Call, value: unknown, found: Fittable): Promise<unknown> {
  const account = open(toolset, call);
  try {
    return account.close(value, await fitNatively(toolset, call, found));
  } catch (thrown) {
    return account.fail(value, thrown);
  }
}

async function fitNatively(toolset: Toolset, call: Call, given: Fittable): Promise<Fitted> {
  const { session, originals } = toolset;
  const found = redacted(given, toolset.options.redact);
  const options = fitOptions(toolset, call);
  const signal = findSignal(call.args);
  const fitted = await withRoom(bytesOfAll(found), signal, () =>
    cancellable(signal, async (cancel) => {
      if ('text' in found) {
        const input = await takeIn(found.text, signal);
        return fittedText(given, found, await settle(() => session.fit(input, options, cancel)));
      }
      const around = stringify(() => jsonAround(found.envelope));
      const texts = await takeInAll(found.texts, signal);
      const structured = found.structured === undefined ? null : await takeIn(found.structured, signal);
      return fittedEnvelope(
        given,
        found,
        await settle(() => session.fitBlocks(texts, around, structured, { ...options, joined: found.joined }, cancel)),
      );
    }),
  );
  if (fitted.responseId !== undefined) await originals.keep(fitted.responseId, () => originalOf(found));
  return fitted;
}

/** What the texts of a result take once they have crossed. */
function bytesOfAll(found: Fittable): number {
  if ('text' in found) return bytesOf(found.text);
  return found.texts.reduce((sum, text) => sum + bytesOf(text), bytesOf(found.structured));
}

function fittedText(given: Fittable, found: { text: string | Uint8Array }, { text, report, responseId }: FitOutcome): Fitted {
  const preview = text ?? (found === given ? undefined : found.text);
  return { ...(preview !== undefined && { preview: { value: preview } }), report, responseId };
}

function fittedEnvelope(given: Fittable, found: Extract<Fittable, { envelope: unknown }>, outcome: BlocksOutcome): Fitted {
  const { joined, texts = [], structured, structuredRepeats, report, responseId } = outcome;
  if (joined !== undefined) return { preview: { value: joined }, report, responseId };
  const changed = found !== given || structured !== undefined || structuredRepeats === true || texts.some((text) => text !== null);
  return { ...(changed && { preview: { value: previewOf(found.envelope, outcome) } }), report, responseId };
}

/** The complete original, for a store of the host's. */
function originalOf(found: Fittable): string {
  if ('envelope' in found) return toJson(found.envelope) ?? '';
  return typeof found.text === 'string' ? found.text : new TextDecoder('utf-8', { ignoreBOM: true }).decode(found.text);
}

function stringify<T>(write: () => T): T {
  try {
    return write();
  } catch (thrown) {
    throw noJsonForm(thrown);
  }
}

/** Tells `onFit` of one fit, however it ends. */
function open(toolset: Toolset, call: Call) {
  const started = performance.now();
  const tell = (event: Omit<FitEvent, 'tool' | 'ms'>) =>
    notify(toolset.options.onFit, { tool: call.tool, ms: performance.now() - started, ...event });
  return {
    close(value: unknown, fitted: Fitted): unknown {
      if (fitted.preview === undefined) return value;
      tell({ outcome: 'fitted', ...describe(fitted) });
      const { value: preview } = fitted.preview;
      return call.form === 'typed' ? typed(value, preview, fitted) : preview;
    },
    fail(value: unknown, thrown: unknown): unknown {
      const error = asSnugfitError(thrown);
      const passes = mayPass(toolset, error);
      tell({ outcome: passes ? 'passed' : 'failed', error });
      if (passes) return value;
      throw error;
    },
  };
}

/** What a program that knows a result's type gets of it: its structured content may be whole, whatever became of its texts. */
function typed(value: unknown, preview: unknown, { report, responseId }: Fitted): unknown {
  if (report === undefined || report.complete) return preview;
  const [before, after] = [value, preview].map((result) => (isEnvelope(result) ? result.structuredContent : undefined));
  const isWhole = before !== undefined && before === after && noticeOf(value) === undefined;
  return isWhole ? { content: [], structuredContent: before } : new Preview(preview, responseId);
}

/** Whether the result goes out as it was: neither a fault of ours nor an envelope that cannot be kept may cost the host its result. */
function mayPass({ options: { onInternalError, redact, store } }: Toolset, { code }: SnugfitError): boolean {
  // What was to be redacted does not go out in full because of a fault.
  if (code === 'INTERNAL') return onInternalError === 'passthrough' && redact === undefined;
  if (code === 'STORE_FAILED') return isHostStore(store) && store.onFailure === 'passthrough';
  return code === 'INVALID_INPUT';
}

function fitOptions(toolset: Toolset, call: Call): NativeOptions {
  return { ...call.native, arguments: argumentsOf(call), relevance: relevanceOf(toolset, call) };
}

/** What the caller asked for, as JSON, where that is possible: large strings are never written. */
function argumentsOf({ args }: Call): string {
  let room = MOST_ARGUMENTS;
  try {
    const json = JSON.stringify(args[0], (key, value: unknown) => {
      room -= key.length + (typeof value === 'string' ? value.length : 1);
      if (room < 0) throw new RangeError('more than a question');
      return value;
    }) as string | undefined;
    return json ?? '';
  } catch {
    return '';
  }
}

/** A fault in the host's function costs the words, not the result. */
function relevanceOf({ options: { relevance } }: Toolset, { tool, args }: Call): string {
  if (relevance === undefined) return '';
  try {
    const words: unknown = relevance({ tool, input: args[0] });
    if (typeof words === 'string') return words;
    throw new TypeError(`it gave ${typeof words}, no string`);
  } catch (thrown) {
    process.emitWarning(`relevance failed: ${messageOf(thrown)}`, { code: 'SNUGFIT_RELEVANCE' });
    return '';
  }
}

function describe({ report, responseId }: Fitted): Partial<FitEvent> {
  return {
    ...(report && { before: report.inputChars, after: report.outputChars, report: toReport(report) }),
    ...(responseId !== undefined && { responseId }),
  };
}
