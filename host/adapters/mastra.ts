/**
 * snugfit for Mastra. Its tool maps go through `shrinkfitTools` of `snugfit` as they are; this is for maps of bare tools.
 *
 * @packageDocumentation
 */
import type { Tool } from '@mastra/core/tools';
import { jsonSchemaOf } from '../tool-schema.ts';
import { mapTools, runnableTools } from '../tool.ts';
import { isObject } from '../value.ts';
import { peer } from './peer.ts';

/** A map with the same names, of tools of Mastra. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tools of any input and output
export type MastraTools<Tools> = { [Name in keyof Tools]: Tool<any, any, any, any, any, any, any> };

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
  const { createTool } = peer('@mastra/core/tools', 'snugfit/mastra') as { createTool: (fields: object) => object };
  const runnable = runnableTools(tools);
  return mapTools(tools, (key, tool) => {
    const found = runnable.get(key);
    if (found === undefined || !isObject(tool)) return tool;
    const id = String(key);
    const { description, inputSchema } = tool;
    return createTool({
      id,
      description: typeof description === 'string' ? description : '',
      inputSchema: inputSchema ?? jsonSchemaOf(id, tool),
      execute: (...args: unknown[]) => Reflect.apply(found.execute, found, args),
    });
  }) as MastraTools<Tools>;
}
