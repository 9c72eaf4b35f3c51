/**
 * snugfit for LangChain and LangGraph, which keep tools in arrays.
 *
 * @packageDocumentation
 */
import type { DynamicStructuredTool, StructuredToolInterface } from '@langchain/core/tools';
import type { Budget } from '../budget.ts';
import { blockTexts, hasMedia, isEnvelope, isError } from '../envelope.ts';
import { isRecovery, markRecovery } from '../marks.ts';
import type { ShrinkfitOptions } from '../options.ts';
import type { OriginalStore, StoreLimits } from '../originals.ts';
import { fitParts, isParts } from '../parts.ts';
import { type Call, fitResult } from '../result.ts';
import type { ShrinkfitTools } from '../shrinkfit-tools.ts';
import { failFitted } from '../thrown.ts';
import { jsonSchemaOf } from '../tool-schema.ts';
import { type RunnableTool, runnableTools } from '../tool.ts';
import type { Toolset } from '../toolset.ts';
import { type Seat, seated } from '../turn.ts';
import { isAsyncIterable, isObject } from '../value.ts';
import { type Framework, shrinkfitArray } from './array.ts';
import { peer } from './peer.ts';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a tool of any input and output
type AnyTool = StructuredToolInterface<any, any>;

/**
 * As `shrinkfitTools` of `snugfit`, for an array of tools; the recovery tool is the last one. What is fitted is the content that the model
 * sees: artifacts stay.
 *
 * Throws `PEER_MISSING` without `@langchain/core`.
 *
 * @example
 * ```ts
 * const { tools, close } = shrinkfitTools([search], { shrinkfit: 6000 });
 * const agent = createAgent({ model, tools });
 * ```
 */
export function shrinkfitTools<Tools extends readonly AnyTool[]>(
  tools: readonly [...Tools],
  options: ShrinkfitOptions & { shrinkfit: Budget; store?: StoreLimits | OriginalStore | undefined },
): ShrinkfitTools<[...Tools, DynamicStructuredTool]>;
export function shrinkfitTools<Tools extends readonly AnyTool[]>(
  tools: readonly [...Tools],
  options?: ShrinkfitOptions,
): ShrinkfitTools<(Tools[number] | DynamicStructuredTool)[]>;
export function shrinkfitTools(tools: readonly AnyTool[], options: ShrinkfitOptions = {}): ShrinkfitTools<AnyTool[]> {
  return shrinkfitArray(tools, options, LANGCHAIN);
}

/**
 * LangChain tools of a map of bare tools, such as `fromMcpClient` gives, its recovery tool included.
 *
 * Throws `PEER_MISSING` without `@langchain/core`, and `INVALID_TOOLS` for a schema that has no JSON Schema.
 */
export function toLangChainTools(tools: object): DynamicStructuredTool[] {
  return [...runnableTools(tools)].map(([key, tool]) => langChainTool(String(key), tool));
}

/** A tool of LangChain's classes: `_call` is what a subclass writes and `invoke` calls. */
type Callable = AnyTool & { _call: RunnableTool['execute']; responseFormat?: unknown };

const LANGCHAIN: Framework<AnyTool> = {
  executor: (tool) => (isCallable(tool) ? tool._call : undefined),
  name: (tool) => tool.name,
  wrap(toolset, name, tool) {
    const native = toolset.optionsOf(name);
    if (native === undefined || !isCallable(tool)) return tool;
    const work = async (args: unknown[], seat: Seat | undefined): Promise<unknown> => {
      const call: Call = { tool: name, args, native, seat };
      let output: unknown;
      try {
        output = await Reflect.apply(tool._call, tool, args);
      } catch (thrown) {
        return failed(toolset, call, thrown);
      }
      return fitOutput(toolset, call, tool.responseFormat, output);
    };
    const run = (...args: unknown[]) => seated(toolset.options.turnBudget, (seat) => work(args, seat));
    // A view of the very instance: fields, getters and methods are its own, and its `invoke` finds the other `_call`.
    return Object.create(tool, { _call: { value: run } }) as AnyTool;
  },
  recovery: (name, tool) => langChainTool(name, tool as unknown as RunnableTool),
};

function isCallable(tool: AnyTool): tool is Callable {
  return typeof (tool as Partial<Callable>)._call === 'function';
}

/** The content of what a tool gives is fitted: of content and artifact the first, of a message its own, of a generator what it returns. */
async function fitOutput(toolset: Toolset, call: Call, format: unknown, output: unknown): Promise<unknown> {
  if (isAsyncIterable(output)) {
    call.seat?.streams();
    return fitReturned(toolset, call, format, output as AsyncGenerator);
  }
  if (format === 'content_and_artifact' && Array.isArray(output) && output.length === 2)
    return [await fitContent(toolset, call, output[0]), output[1] as unknown];
  if (!isMessage(output)) return fitContent(toolset, call, output);
  const content = await fitContent(toolset, call, output.content);
  return content === output.content ? output : withContent(output, content);
}

async function* fitReturned(toolset: Toolset, call: Call, format: unknown, source: AsyncGenerator): AsyncGenerator {
  const { seat } = call;
  try {
    let output: unknown;
    try {
      output = yield* seat?.steps(source) ?? source;
    } catch (thrown) {
      return await failed(toolset, call, thrown);
    }
    return await fitOutput(toolset, call, format, output);
  } finally {
    seat?.leave();
  }
}

/** Fails with what the tool has thrown. */
async function failed(toolset: Toolset, call: Call, thrown: unknown): Promise<never> {
  if (toolset.options.errors === 'fit') await failFitted(toolset, call, thrown);
  throw thrown;
}

function fitContent(toolset: Toolset, call: Call, content: unknown): unknown {
  return isParts(content) ? fitParts(toolset, call, content) : fitResult(toolset, call, content);
}

interface Message {
  content: unknown;
  lc_kwargs: object;
}

/** A tool may answer with the very message that goes to the model. */
function isMessage(output: unknown): output is Message {
  return isObject(output) && output.lc_direct_tool_output === true && 'content' in output && isObject(output.lc_kwargs);
}

function withContent(message: Message, content: unknown): Message {
  const copy = Object.create(Object.getPrototypeOf(message) as object, Object.getOwnPropertyDescriptors(message)) as Message;
  return Object.assign(copy, { content, lc_kwargs: { ...message.lc_kwargs, content } });
}

function langChainTool(name: string, tool: RunnableTool): DynamicStructuredTool {
  const { description, inputSchema, execute } = tool as RunnableTool & { inputSchema?: unknown };
  const { tool: create } = peer('@langchain/core/tools', 'snugfit/langchain') as {
    tool: (call: (input: unknown, config: unknown) => unknown, fields: object) => DynamicStructuredTool;
  };
  const call = async (input: unknown, config: unknown) => textOfEnvelope(await Reflect.apply(execute, tool, [input, config]));
  const created = create(call, {
    name,
    description: typeof description === 'string' ? description : '',
    schema: isObject(inputSchema) && '_def' in inputSchema ? inputSchema : jsonSchemaOf(name, tool),
  });
  // A recovery tool in another form is one still.
  if (isRecovery(execute)) {
    const callable = created as unknown as Callable;
    callable._call = markRecovery(callable._call.bind(created));
  }
  return created;
}

/** An MCP result of texts alone as text; its errors as errors. Anything else goes to the model as JSON. */
function textOfEnvelope(result: unknown): unknown {
  if (!isEnvelope(result) || hasMedia(result)) return result;
  const text = blockTexts(result).join('\n\n');
  if (isError(result)) throw new Error(text);
  return text;
}
