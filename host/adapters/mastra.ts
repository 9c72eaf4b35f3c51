/**
 * snugfit for Mastra: tool maps in which the recovery tool is one of Mastra's, and maps of bare tools.
 *
 * @packageDocumentation
 */
import type { Tool } from '@mastra/core/tools';
import type { Budget } from '../budget.ts';
import { isRecovery } from '../marks.ts';
import type { ShrinkfitOptions } from '../options.ts';
import type { OriginalStore, StoreLimits } from '../originals.ts';
import type { RECOVERY_TOOL } from '../recover.ts';
import { type ShrinkfitTools, shrinkfitTools as shrinkfitMap } from '../shrinkfit-tools.ts';
import { jsonSchemaOf } from '../tool-schema.ts';
import { type RunnableTool, mapTools, runnableTools } from '../tool.ts';
import { isObject } from '../value.ts';
import { peer } from './peer.ts';

/** A tool of Mastra, of any input and output. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- any
export type AnyTool = Tool<any, any, any, any, any, any, any>;

/** A map with the same names, of tools of Mastra. */
export type MastraTools<Tools> = { [Name in keyof Tools]: AnyTool };

/**
 * As `shrinkfitTools` of `snugfit`, for a map of Mastra's tools: the tools stay instances of its class, and the recovery tool is one, too.
 *
 * Throws what that one throws, and `PEER_MISSING` without `@mastra/core`.
 *
 * @example
 * ```ts
 * const { tools, close } = shrinkfitTools({ search }, { shrinkfit: 6000 });
 * const agent = new Agent({ id: 'support', name: 'Support', instructions, model, tools });
 * ```
 */
export function shrinkfitTools<Tools extends object>(
  tools: Tools,
  options: ShrinkfitOptions & { shrinkfit: Budget; store?: StoreLimits | OriginalStore | undefined },
): ShrinkfitTools<Tools & Record<typeof RECOVERY_TOOL, AnyTool>>;
export function shrinkfitTools<Tools extends object>(tools: Tools, options?: ShrinkfitOptions): ShrinkfitTools<Tools>;
export function shrinkfitTools(tools: object, options: ShrinkfitOptions = {}): ShrinkfitTools<object> {
  const fitted = shrinkfitMap(tools, options);
  return { ...fitted, tools: converted(fitted.tools, ({ execute }) => isRecovery(execute)) };
}

/**
 * The tools of a map of bare tools, such as `fromMcpClient` gives, as tools of Mastra. Takes maps before and after `shrinkfitTools`; tools
 * that cannot be run here stay as they are.
 *
 * Throws `PEER_MISSING` without `@mastra/core`.
 *
 * @example
 * ```ts
 * const { tools, close } = shrinkfitTools(await fromMcpClient(client), { shrinkfit: 6000 });
 * const agent = new Agent({ id: 'support', name: 'Support', instructions, model, tools: toMastraTools(tools) });
 * ```
 */
export function toMastraTools<Tools extends object>(tools: Tools): MastraTools<Tools> {
  return converted(tools, () => true) as MastraTools<Tools>;
}

/** A map in which the chosen of the tools that can be run here are Mastra's. */
function converted(tools: object, chosen: (tool: RunnableTool) => boolean): object {
  const { createTool } = peer('@mastra/core/tools', 'snugfit/mastra') as { createTool: (fields: object) => object };
  const runnable = runnableTools(tools);
  return mapTools(tools, (key, tool) => {
    const found = runnable.get(key);
    if (found === undefined || !isObject(tool) || !chosen(found)) return tool;
    const id = String(key);
    const { description, inputSchema } = tool;
    return createTool({
      id,
      description: typeof description === 'string' ? description : '',
      inputSchema: inputSchema ?? jsonSchemaOf(id, tool),
      execute: (...args: unknown[]) => Reflect.apply(found.execute, found, args),
    });
  });
}
