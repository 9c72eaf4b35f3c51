import { withFields } from './clone.ts';
import { type Handing, markWrapped } from './marks.ts';
import { modelOutput } from './model-output.ts';
import { type Call, fitResult } from './result.ts';
import { fitLast, lastOf } from './stream.ts';
import { failFitted } from './thrown.ts';
import type { RunnableTool } from './tool.ts';
import type { Toolset } from './toolset.ts';
import { seated } from './turn.ts';
import { isAsyncIterable, isThenable } from './value.ts';

/** A tool like `tool` whose results are fitted, or what the model sees of them. */
export function wrapTool(toolset: Toolset, name: string, tool: RunnableTool): RunnableTool {
  const native = toolset.optionsOf(name);
  if (native === undefined) return tool;
  const toModel = toolset.options.target === 'model';
  const run = wrapExecute(toolset, tool.execute, (args) => (toModel ? undefined : { tool: name, args, native }));
  const last = (...args: unknown[]) => lastOf(Reflect.apply(tool.execute, tool, args));
  const handing = ({ form, calls }: Handing) => {
    const here = { ...native, ...calls.get(native.recoveryTool ?? '') };
    return wrapExecute(toolset, last, (args) => ({ tool: name, args, native: here, form }));
  };
  const wrapped: RunnableTool = withFields(tool, {
    execute: markWrapped(function (this: unknown, ...args: unknown[]) {
      // Called as a method, the tool sees itself, not our copy.
      return Reflect.apply(run, this === wrapped ? tool : this, args);
    }, handing),
    ...(toModel && { toModelOutput: modelOutput(toolset, name, native, tool) }),
  });
  return wrapped;
}

/**
 * A function like `execute` whose results are fitted (by `fit`), unless `callOf` says that this call is none of ours. It is a plain function: an `async`
 * one would turn a streaming tool's iterator into a promise, and a synchronous throw into a rejection.
 */
export function wrapExecute(
  toolset: Toolset,
  execute: (this: unknown, ...args: unknown[]) => unknown,
  callOf: (args: unknown[]) => Call | undefined,
  fit: typeof fitResult = fitResult,
): (this: unknown, ...args: unknown[]) => unknown {
  const errors = toolset.options.errors === 'fit';
  return function (...args) {
    const own = callOf(args);
    if (own === undefined) return Reflect.apply(execute, this, args);
    return seated(toolset.options.turnBudget, (seat) => {
      const call = seat === undefined ? own : { ...own, seat };
      const failed = errors ? (thrown: unknown) => failFitted(toolset, call, thrown) : undefined;
      let returned: unknown;
      try {
        returned = Reflect.apply(execute, this, args);
      } catch (thrown) {
        if (failed === undefined) throw thrown;
        return failed(thrown);
      }
      if (isAsyncIterable(returned)) {
        seat?.streams();
        return fitLast(toolset, call, returned);
      }
      return isThenable(returned)
        ? Promise.resolve(returned).then((value) => fit(toolset, call, value), failed)
        : fit(toolset, call, returned);
    });
  };
}
