import type { Budget } from './budget.ts';
import { SnugfitError } from './errors.ts';
import { isWrapped } from './marks.ts';
import { type ShrinkfitOptions, parseOptions } from './options.ts';
import type { OriginalStore, StoreLimits } from './originals.ts';
import { acceptingOriginals } from './pass-originals.ts';
import { freeName, isRecoveryTool, recoveryTool } from './recover.ts';
import { type RunnableTool, type WithRecovery, addTool, mapTools, runnableTools } from './tool.ts';
import { openToolset } from './toolset.ts';
import { wrapTool } from './wrap.ts';

/** Wrapped tools, and the end of their store. */
export interface ShrinkfitTools<Tools> {
  /** A new map: tools whose results are fitted, and the recovery tool. */
  tools: Tools;
  /** Forgets every original at once; recoveries and fits that come later fail with `CLOSED`. Twice is fine. */
  close: () => void;
  /** As {@link close}, for `using`. */
  [Symbol.dispose]: () => void;
  /** As {@link close}, for `await using`. */
  [Symbol.asyncDispose]: () => Promise<void>;
}

/**
 * Wraps the tools of a map so that every result comes back within a budget, and adds a tool that recovers the originals. The given map and
 * its tools stay as they are.
 *
 * Throws `INVALID_OPTION`, `INVALID_TOOLS`, `ALREADY_WRAPPED` or `NATIVE_MISSING`. A wrapped `execute` fails with `BUDGET_TOO_SMALL`,
 * `ORIGINAL_TOO_LARGE`, `CLOSED` or `ABORTED` where no preview can be made; the tool has run by then.
 *
 * @example
 * ```ts
 * const { tools, close } = shrinkfitTools({ search }, { shrinkfit: 6000 });
 * await generateText({ model, tools, prompt });
 * close();
 * ```
 */
export function shrinkfitTools<Tools extends object>(
  tools: Tools,
  options: ShrinkfitOptions & { shrinkfit: Budget; store?: StoreLimits | OriginalStore | undefined },
): ShrinkfitTools<WithRecovery<Tools>>;
export function shrinkfitTools<Tools extends object>(
  tools: Tools,
  options?: ShrinkfitOptions,
): ShrinkfitTools<Tools & Partial<WithRecovery<object>>>;
export function shrinkfitTools(tools: object, options: ShrinkfitOptions = {}): ShrinkfitTools<object> {
  const parsed = parseOptions(options);
  const runnable = runnableTools(tools);
  if (parsed === undefined) return closable(tools, () => undefined);

  refuseWrapped(runnable);
  const recovery = parsed.store === false ? undefined : freeName(tools);
  const toolset = openToolset(parsed, recovery);
  const wrapped = mapTools(tools, (key, tool) => {
    const found = runnable.get(key);
    if (found === undefined || isRecoveryTool(String(key), found)) return tool;
    const passes = parsed.passOriginals && recovery !== undefined;
    return wrapTool(toolset, String(key), passes ? acceptingOriginals(toolset, String(key), found) : found);
  });
  if (recovery !== undefined) addTool(wrapped, recovery, recoveryTool(toolset.originals, parsed.recoveryBudget));
  return closable(wrapped, toolset.close);
}

function refuseWrapped(tools: Map<PropertyKey, RunnableTool>): void {
  for (const [key, { execute }] of tools) {
    if (!isWrapped(execute)) continue;
    throw new SnugfitError(
      'ALREADY_WRAPPED',
      `the results of ${JSON.stringify(String(key))} are fitted already; wrap a map once, or leave out shrinkfit.`,
    );
  }
}

/** Tools that can be closed, in all the ways there are. */
export function closable<Tools>(tools: Tools, close: () => void): ShrinkfitTools<Tools> {
  return {
    tools,
    close,
    [Symbol.dispose]: close,
    [Symbol.asyncDispose]: () => Promise.resolve().then(close),
  };
}
