import { withExecute } from './clone.ts';
import { markWrapped } from './marks.ts';
import { type Call, fitResult } from './result.ts';
import { fitLast, isAsyncIterable } from './stream.ts';
import type { RunnableTool } from './tool.ts';
import type { Toolset } from './toolset.ts';

/**
 * A tool like `tool` whose results are fitted. Its `execute` is a plain function: an `async` one would turn a streaming tool's iterator into
 * a promise, and a synchronous throw into a rejection.
 */
export function wrapTool(toolset: Toolset, name: string, tool: RunnableTool): RunnableTool {
  const { execute } = tool;
  const wrapped: RunnableTool = withExecute(
    tool,
    markWrapped(function (this: unknown, ...args: unknown[]) {
      const call: Call = { tool: name, args };
      // Called as a method, the tool sees itself, not our copy.
      const returned = Reflect.apply(execute, this === wrapped ? tool : this, args);
      if (isAsyncIterable(returned)) return fitLast(toolset, call, returned);
      return isThenable(returned)
        ? Promise.resolve(returned).then((value) => fitResult(toolset, call, value))
        : fitResult(toolset, call, returned);
    }),
  );
  return wrapped;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as Partial<PromiseLike<unknown>>).then === 'function';
}
