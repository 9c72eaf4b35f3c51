import { textExecutor } from './marks.ts';
import { lastOf } from './stream.ts';
import type { RunnableTool } from './tool.ts';
import { validInput } from './tool-schema.ts';

/**
 * Runs a tool on behalf of another surface, as a host would: its schema checks the input first, and of a stream the last value counts. An
 * envelope over the budget comes back as one string.
 */
export async function runTool(name: string, tool: RunnableTool, input: unknown, ...rest: unknown[]): Promise<unknown> {
  const valid = await validInput(name, tool, input);
  const execute = textExecutor(tool.execute) ?? tool.execute;
  return lastOf(Reflect.apply(execute, tool, [valid, ...rest]));
}
