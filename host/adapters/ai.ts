/**
 * snugfit for the Vercel AI SDK. Its tool maps go through `shrinkfitTools` of `snugfit` as they are; this is for maps of bare tools.
 *
 * @packageDocumentation
 */
import type { Tool } from 'ai';
import { withFields } from '../clone.ts';
import { toolSchema } from '../standard-schema.ts';
import { isJsonSchema, jsonSchemaOf } from '../tool-schema.ts';
import { mapTools, runnableTools } from '../tool.ts';
import { isObject } from '../value.ts';

/** Options of {@link toAISDKTools}. */
export interface AISDKOptions {
  /** The AI SDK's own `tool`, if it is to make the tools; plain objects serve as well. */
  tool?: ((tool: never) => unknown) | undefined;
}

/** A map with the same names, of tools of the AI SDK. */

export type AISDKTools<Tools> = { [Name in keyof Tools]: Tool };

/**
 * The tools of a map of bare tools, such as `fromMcpClient` gives, as tools of the AI SDK: plain JSON Schema becomes a schema of the SDK,
 * all else stays. Takes maps before and after `shrinkfitTools`.
 *
 * @example
 * ```ts
 * const { tools, close } = shrinkfitTools(await fromMcpClient(client), { shrinkfit: 6000 });
 * await generateText({ model, tools: toAISDKTools(tools), prompt });
 * ```
 */
export function toAISDKTools<Tools extends object>(tools: Tools, options: AISDKOptions = {}): AISDKTools<Tools> {
  const runnable = runnableTools(tools);
  const create = (options.tool ?? ((tool: unknown) => tool)) as (tool: unknown) => unknown;
  return mapTools(tools, (key, tool) => {
    if (!runnable.has(key) || !isObject(tool)) return tool;
    const { inputSchema } = tool;
    if (inputSchema !== undefined && !(isObject(inputSchema) && isJsonSchema(inputSchema))) return create(tool);
    // The SDK refuses plain JSON Schema; the tool checks its own input.
    return create(withFields(tool, { inputSchema: toolSchema(jsonSchemaOf(String(key), tool), (value) => ({ value })) }));
  }) as AISDKTools<Tools>;
}
