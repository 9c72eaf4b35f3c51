import type { NativeOptions, NativeSurface, NativeTool } from './binding.ts';
import { SnugfitError, messageOf } from './errors.ts';
import { type RecoveryCalls, isRecovery } from './marks.ts';
import { native } from './native.ts';
import { attempt } from './outcome.ts';
import { type SchemaAdapter, jsonSchemaOf, outputSchemaOf } from './tool-schema.ts';
import { type RunnableTool, runnableTools } from './tool.ts';
import { isObject } from './value.ts';

/** The tools of a map that stand behind another surface, and those that a host must go on to see. */
export interface Split {
  /** Tools that can be run here without anybody's leave, by name. */
  behind: Map<string, RunnableTool>;
  /** The names of all others: run elsewhere, or only after an approval, which no surface may bypass. */
  beside: PropertyKey[];
}

/** Tells the tools that another surface may run from those that must stay as they are. */
export function splitTools(tools: object): Split {
  const runnable = runnableTools(tools);
  const split: Split = { behind: new Map(), beside: [] };
  for (const key of Reflect.ownKeys(tools)) {
    if (!Object.prototype.propertyIsEnumerable.call(tools, key)) continue;
    const tool = runnable.get(key);
    if (tool === undefined || typeof key === 'symbol' || needsApproval(tool)) split.beside.push(key);
    else split.behind.set(key, tool);
  }
  return split;
}

/** Whether a host asks somebody before it runs a tool: AI SDK and OpenAI Agents; Mastra. A function decides for each call. */
function needsApproval(tool: object): boolean {
  const { needsApproval: ai, requireApproval: mastra } = tool as { needsApproval?: unknown; requireApproval?: unknown };
  return Boolean(ai) || Boolean(mastra);
}

/** How the readers of a surface call the recovery tools that are behind it. */
export function recoveryCalls(
  tools: Map<string, RunnableTool>,
  callOf: (tool: string) => Pick<NativeOptions, 'recoveryTool' | 'recoveryCall' | 'recoveryBy'>,
): RecoveryCalls {
  return new Map([...tools].filter(([, { execute }]) => isRecovery(execute)).map(([name]) => [name, callOf(name)]));
}

/** The native side of a surface of these tools. Throws `INVALID_TOOLS` for a schema that cannot be read. */
export function openSurface(tools: Map<string, RunnableTool>, adapter?: SchemaAdapter): NativeSurface {
  const { Surface } = native();
  const definitions = [...tools].map(([name, tool]) => definitionOf(name, tool, adapter));
  return attempt(() => new Surface(definitions));
}

/** A tool's definition as the addon takes it. */
export function definitionOf(name: string, tool: object, adapter?: SchemaAdapter): NativeTool {
  const { description, annotations } = tool as Record<string, unknown>;
  const output = outputSchemaOf(tool);
  return {
    name,
    description: typeof description === 'string' ? description : '',
    inputSchema: jsonOf(name, 'schema', jsonSchemaOf(name, tool, adapter)),
    ...(output !== undefined && { outputSchema: jsonOf(name, 'output schema', output) }),
    ...(isObject(annotations) && { annotations: jsonOf(name, 'annotations', annotations) }),
  };
}

function jsonOf(name: string, what: string, value: object): string {
  try {
    return JSON.stringify(value);
  } catch (thrown) {
    throw new SnugfitError('INVALID_TOOLS', `the ${what} of ${JSON.stringify(name)} has no JSON form: ${messageOf(thrown)}`, {
      cause: thrown,
    });
  }
}
