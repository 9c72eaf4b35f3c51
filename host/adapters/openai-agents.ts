/**
 * snugfit for the OpenAI Agents SDK, which keeps tools in arrays.
 *
 * @packageDocumentation
 */
import type { FunctionTool, Tool } from '@openai/agents';
import type { Budget } from '../budget.ts';
import { withFields } from '../clone.ts';
import { messageOf } from '../errors.ts';
import { isRecovery, markRecovery } from '../marks.ts';
import type { ShrinkfitOptions } from '../options.ts';
import type { OriginalStore, StoreLimits } from '../originals.ts';
import { after, fitParts, isPart, isParts } from '../parts.ts';
import type { RecoveryTool } from '../recover.ts';
import { type Call, fitResult } from '../result.ts';
import type { ShrinkfitTools } from '../shrinkfit-tools.ts';
import { jsonSchemaOf, validInput } from '../tool-schema.ts';
import { type RunnableTool, runnableTools } from '../tool.ts';
import type { Toolset } from '../toolset.ts';
import { toJson } from '../value.ts';
import { wrapExecute } from '../wrap.ts';
import { type Framework, shrinkfitArray } from './array.ts';

/** Any tool of the SDK, whatever its context and input. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the SDK's own generics are invariant
type AnyTool = Tool<any>;
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- as above
type AnyFunctionTool = FunctionTool<any, any, any>;

/**
 * As `shrinkfitTools` of `snugfit`, for an array of tools: function tools are fitted, hosted and computer tools pass, and the recovery tool
 * is the last one.
 *
 * @example
 * ```ts
 * const { tools, close } = shrinkfitTools([search], { shrinkfit: 6000 });
 * const agent = new Agent({ name: 'Support', tools });
 * ```
 */
export function shrinkfitTools<Tools extends readonly AnyTool[]>(
  tools: readonly [...Tools],
  options: ShrinkfitOptions & { shrinkfit: Budget; store?: StoreLimits | OriginalStore | undefined },
): ShrinkfitTools<[...Tools, AnyFunctionTool]>;
export function shrinkfitTools<Tools extends readonly AnyTool[]>(
  tools: readonly [...Tools],
  options?: ShrinkfitOptions,
): ShrinkfitTools<(Tools[number] | AnyFunctionTool)[]>;
export function shrinkfitTools(tools: readonly AnyTool[], options: ShrinkfitOptions = {}): ShrinkfitTools<AnyTool[]> {
  return shrinkfitArray(tools, options, OPENAI);
}

/**
 * Function tools of a map of bare tools, such as `fromMcpClient` gives, its recovery tool included. Their names are the map's own, with
 * other characters than letters, digits, `_` and `-` replaced by `_`.
 *
 * Throws `INVALID_TOOLS` for a schema that has no JSON Schema.
 */
export function toOpenAIAgentsTools(tools: object): AnyFunctionTool[] {
  return [...runnableTools(tools)].map(([key, tool]) => functionTool(String(key), tool));
}

const OPENAI: Framework<AnyTool> = {
  executor: (tool) => (tool.type === 'function' ? tool.invoke : undefined),
  name: (tool) => tool.name,
  wrap(toolset, name, tool) {
    const native = toolset.optionsOf(name);
    if (native === undefined || tool.type !== 'function') return tool;
    const invoke = tool.invoke as RunnableTool['execute'];
    const callOf = ([context, input, details]: unknown[]) => ({ tool: name, args: [parsed(input), context, details], native });
    return withFields(tool, { invoke: wrapExecute(toolset, invoke, callOf, fitOutput) });
  },
  recovery: (name, tool) => functionTool(name, tool),
};

/** What the SDK sends to a model: a part of content or several, or anything else as text. */
function fitOutput(toolset: Toolset, call: Call, output: unknown): unknown {
  if (isParts(output)) return fitParts(toolset, call, output);
  if (!isPart(output)) return fitResult(toolset, call, output);
  const one = [output];
  return after(fitParts(toolset, call, one), (fitted) => (fitted === one ? output : fitted));
}

function functionTool(name: string, tool: RunnableTool | RecoveryTool): AnyFunctionTool {
  const { description, execute } = tool as RunnableTool;
  const invoke = async (context: unknown, input: string, details: unknown): Promise<unknown> => {
    try {
      const valid = await validInput(name, tool, JSON.parse(input === '' ? '{}' : input));
      const result: unknown = await Reflect.apply(execute, tool, [valid, { context, ...(details as object | undefined) }]);
      return typeof result === 'string' ? result : toJson(result);
    } catch (thrown) {
      if ((thrown as { name?: unknown } | null)?.name === 'AbortError') throw thrown;
      // As the SDK's own tools tell a model of a failure.
      return `An error occurred while running the tool. Please try again. Error: ${messageOf(thrown)}`;
    }
  };
  return {
    type: 'function',
    name: name.replaceAll(/[^\w-]/g, '_'),
    description: typeof description === 'string' ? description : '',
    parameters: { additionalProperties: true, ...jsonSchemaOf(name, tool) } as AnyFunctionTool['parameters'],
    strict: false,
    invoke: markRecoveryLike(execute, invoke),
    needsApproval: () => Promise.resolve(false),
    isEnabled: () => Promise.resolve(true),
  };
}

/** A recovery tool in another form is one still. */
function markRecoveryLike<F extends (...args: never[]) => unknown>(execute: object, invoke: F): F {
  return isRecovery(execute) ? markRecovery(invoke) : invoke;
}

/** The arguments as the tool gets them; the text where they are no JSON. */
function parsed(input: unknown): unknown {
  try {
    return typeof input === 'string' ? JSON.parse(input) : input;
  } catch {
    return input;
  }
}
