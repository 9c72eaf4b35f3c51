import { SnugfitError } from '../errors.ts';
import { isRecovery } from '../marks.ts';
import { type ShrinkfitOptions, parseOptions } from '../options.ts';
import { type RecoveryTool, freeName, recoveryTool } from '../recover.ts';
import { type ShrinkfitTools, closable } from '../shrinkfit-tools.ts';
import { type Toolset, openToolset } from '../toolset.ts';

/** How a framework keeps tools that stand in arrays. */
export interface Framework<Tool extends object> {
  /** What runs a tool; `undefined` for tools that run elsewhere. */
  executor: (tool: Tool) => ((...args: never[]) => unknown) | undefined;
  name: (tool: Tool) => string;
  /** A tool like this one whose results are fitted. */
  wrap: (toolset: Toolset, name: string, tool: Tool) => Tool;
  /** The recovery tool in the framework's own form. */
  recovery: (name: string, tool: RecoveryTool) => Tool;
}

/** As `shrinkfitTools`, for an array of tools. */
export function shrinkfitArray<Tool extends object>(
  tools: readonly Tool[],
  options: ShrinkfitOptions,
  framework: Framework<Tool>,
): ShrinkfitTools<Tool[]> {
  const given: unknown = tools;
  if (!Array.isArray(given)) throw new SnugfitError('INVALID_TOOLS', 'tools must be an array of tools.');
  const parsed = parseOptions(options);
  if (parsed === undefined) return closable([...tools], () => undefined);
  const names = Object.fromEntries(tools.map((tool) => [framework.name(tool), true]));
  for (const tool of tools) {
    if (!wrappedTools.has(tool)) continue;
    throw new SnugfitError(
      'ALREADY_WRAPPED',
      `the results of ${JSON.stringify(framework.name(tool))} are fitted already; wrap an array once, or leave out shrinkfit.`,
    );
  }
  const recovery = parsed.store === false ? undefined : freeName(names);
  const toolset = openToolset(parsed, recovery);
  const wrapped = tools.map((tool) => {
    const execute = framework.executor(tool);
    const name = framework.name(tool);
    if (execute === undefined || isRecovery(execute) || toolset.optionsOf(name) === undefined) return tool;
    const copy = framework.wrap(toolset, name, tool);
    wrappedTools.add(copy);
    return copy;
  });
  if (recovery !== undefined) wrapped.push(framework.recovery(recovery, recoveryTool(toolset.originals, parsed.recoveryBudget)));
  return closable(wrapped, toolset.close);
}

/** Tools whose results are fitted. */
const wrappedTools = new WeakSet<object>();
