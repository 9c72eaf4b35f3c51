import type { NativeOptions } from './binding.ts';
import type { Policy } from './fittable.ts';
import { markWrapped } from './marks.ts';
import { after, fitParts, isParts } from './parts.ts';
import { type Call, fitResult, fitResultNow } from './result.ts';
import type { RunnableTool } from './tool.ts';
import type { Toolset } from './toolset.ts';
import { isObject } from './value.ts';

/** What the AI SDK shows a model of a tool's output, as far as it concerns us. */
export interface ModelOutput {
  type: string;
  value?: unknown;
}

/**
 * A `toModelOutput` that fits what the tool's own one gives, or what the AI SDK would make of the output itself. From version 6 it is called
 * with `{ toolCallId, input, output }` and may answer later; version 5 (and Mastra) give the output alone, and version 5 does not wait.
 */
export function modelOutput(toolset: Toolset, name: string, native: NativeOptions, tool: RunnableTool): (given: unknown) => unknown {
  const { toModelOutput } = tool as { toModelOutput?: unknown };
  const shown = (given: unknown, output: unknown): unknown =>
    typeof toModelOutput === 'function' ? Reflect.apply(toModelOutput, tool, [given]) : plainOutput(output);
  // What is shown as JSON is shown whole, the structured content of MCP results included.
  const { errors, multimodal } = toolset.options;
  const policy: Policy = { errors, multimodal, structured: 'auto' };
  return markWrapped((given: unknown) => {
    const waits = isAskedBy6(given);
    const call: Call = { tool: name, args: waits ? [given.input] : [], native, policy };
    const fit = waits ? fitResult : fitResultNow;
    return after(shown(given, waits ? given.output : given), (output) => replace(toolset, call, output, fit));
  });
}

/** Whether `toModelOutput` is called as the AI SDK calls it from version 6 on. */
export function isAskedBy6(given: unknown): given is { input: unknown; output: unknown } {
  return isObject(given) && 'toolCallId' in given && 'output' in given;
}

/** As the AI SDK shows an output without a `toModelOutput`. */
export function plainOutput(output: unknown): ModelOutput {
  return typeof output === 'string' ? { type: 'text', value: output } : { type: 'json', value: output ?? null };
}

/** A model output with what `fit` makes of its value. */
function replace(toolset: Toolset, call: Call, output: unknown, fit: typeof fitResult): unknown {
  if (!isObject(output)) return output;
  const { type, value } = output as unknown as ModelOutput;
  const isFailure = type === 'error-text' || type === 'error-json';
  if (type === 'text' || type === 'json' || (isFailure && toolset.options.errors === 'fit')) {
    return after(fit(toolset, call, value), (fitted) => {
      if (fitted === value) return output;
      const kind = typeof fitted === 'string' ? 'text' : 'json';
      return { ...output, type: isFailure ? `error-${kind}` : kind, value: fitted };
    });
  }
  if (type !== 'content' || !isParts(value)) return output;
  return after(fitParts(toolset, call, value, fit), (fitted) => (fitted === value ? output : { ...output, value: fitted }));
}
