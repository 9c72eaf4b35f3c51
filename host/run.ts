import { type Handing, handingExecutor } from './marks.ts';
import { lastOf } from './stream.ts';
import type { RunnableTool } from './tool.ts';
import { validInput } from './tool-schema.ts';

/**
 * Runs a tool on behalf of another surface, as a host would: its schema checks the input first, and of a stream the last value counts.
 * `how` says what becomes of a result over the budget.
 */
export async function runTool(name: string, tool: RunnableTool, input: unknown, how: Handing, ...rest: unknown[]): Promise<unknown> {
  const valid = await validInput(name, tool, input);
  const execute = handingExecutor(tool.execute, how) ?? tool.execute;
  return lastOf(Reflect.apply(execute, tool, [valid, ...rest]));
}
