import { SnugfitError } from './errors.ts';
import type { RECOVERY_TOOL, RecoveryTool } from './recover.ts';
import { isObject } from './value.ts';

/** A tool map with the recovery tool beside its own tools. */
export type WithRecovery<Tools> = Tools & Record<typeof RECOVERY_TOOL, RecoveryTool>;

/** A tool that can be run here. Only `execute` concerns us; every other field is kept as it is. */
export interface RunnableTool {
  description?: unknown;
  execute: (this: unknown, ...args: unknown[]) => unknown;
}

/** The tools of a map that can be run here, by name. Throws `INVALID_TOOLS` for what is no tool map or no tool. */
export function runnableTools(tools: unknown): Map<PropertyKey, RunnableTool> {
  if (!isObject(tools) || Array.isArray(tools) || tools instanceof Map) {
    throw new SnugfitError(
      'INVALID_TOOLS',
      'tools must be an object of tools by name, such as { search: { description, inputSchema, execute } }.',
    );
  }
  const runnable = new Map<PropertyKey, RunnableTool>();
  for (const key of enumerableKeys(tools)) {
    const tool = tools[key];
    // Hosts leave out tools by a condition.
    if (tool === undefined || tool === null) continue;
    if (!isTool(tool)) {
      throw new SnugfitError(
        'INVALID_TOOLS',
        `${JSON.stringify(String(key))} is a ${typeof tool}, no tool; a tool is an object with an execute function.`,
      );
    }
    if (isRunnable(tool)) runnable.set(key, tool);
  }
  return runnable;
}

/** A map of the same kind and keys, each tool replaced by what `replace` gives for it. */
export function mapTools(tools: object, replace: (key: PropertyKey, tool: unknown) => unknown): object {
  const map = Object.create(Object.getPrototypeOf(tools) as object | null) as object;
  for (const key of enumerableKeys(tools)) addTool(map, key, replace(key, (tools as Record<PropertyKey, unknown>)[key]));
  return map;
}

/** Adds a tool to a map; assignment would go wrong with names like `__proto__`. */
export function addTool(map: object, key: PropertyKey, tool: unknown): void {
  Object.defineProperty(map, key, { value: tool, enumerable: true, configurable: true, writable: true });
}

function enumerableKeys(tools: object): PropertyKey[] {
  return Reflect.ownKeys(tools).filter((key) => Object.prototype.propertyIsEnumerable.call(tools, key));
}

function isTool(tool: unknown): tool is object {
  return isObject(tool) || (typeof tool === 'function' && 'execute' in tool);
}

/** Tools without an executor run elsewhere, and so do the AI SDK's provider tools. */
function isRunnable(tool: object): tool is RunnableTool {
  const { execute, type } = tool as { execute?: unknown; type?: unknown };
  return typeof execute === 'function' && type !== 'provider' && type !== 'provider-defined';
}
