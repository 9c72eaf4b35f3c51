/**
 * snugfit for the Vercel AI SDK. Its tool maps go through `shrinkfitTools` of `snugfit` as they are; this is for maps of bare tools.
 *
 * @packageDocumentation
 */
import type { Tool } from 'ai';
import { withFields } from '../clone.ts';
import { isEnvelope } from '../envelope.ts';
import { type ModelOutput, isAskedBy6, plainOutput } from '../model-output.ts';
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
 * The tools of a map of bare tools, such as `fromMcpClient` gives, as tools of the AI SDK: plain JSON Schema becomes a schema of the SDK, and
 * the model is shown the content of MCP results, as the SDK's own MCP client does: texts as texts, images as images, and not once more what
 * `structuredContent` repeats. A `toModelOutput` of the tool's own stays, and so does all else. Takes maps before and after `shrinkfitTools`.
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
    const { inputSchema, toModelOutput } = tool;
    const isBare = inputSchema === undefined || (isObject(inputSchema) && isJsonSchema(inputSchema));
    if (!isBare) return create(tool);
    return create(
      withFields(tool, {
        // The SDK refuses plain JSON Schema; the tool checks its own input.
        ...(inputSchema !== undefined && { inputSchema: toolSchema(jsonSchemaOf(String(key), tool), (value) => ({ value })) }),
        ...(toModelOutput === undefined && { toModelOutput: contentOutput }),
      }),
    );
  }) as AISDKTools<Tools>;
}

/** What a model is shown of an output: the content of an MCP result, anything else as without a `toModelOutput`. */
function contentOutput(given: unknown): ModelOutput {
  const isOf6 = isAskedBy6(given);
  const output: unknown = isOf6 ? given.output : given;
  if (!isEnvelope(output) || output.content.length === 0) return plainOutput(output);
  const value = output.content.map((block: { type: string; text?: unknown; data?: unknown; mimeType?: unknown }) => {
    if (block.type === 'text') return { type: 'text', text: block.text };
    if (block.type !== 'image') return { type: 'text', text: JSON.stringify(block) };
    return { type: isOf6 ? 'image-data' : 'media', data: block.data, mediaType: block.mimeType };
  });
  return { type: 'content', value };
}
