import { readFileSync } from 'node:fs';

/** One list of arguments, and what it comes to: an input for a tool, a message, or a help text that has `help` in it. */
export interface ArgumentCase {
  args: string[];
  stdin?: string;
  tool?: string;
  input?: object;
  message?: string;
  help?: string;
}

interface Table {
  command: string;
  tools: { name: string; description: string; inputSchema: object }[];
  cases: ArgumentCase[];
}

/** The table that the parser's own tests run as well. */
export const table = JSON.parse(
  readFileSync(new URL('../../crates/toolset/tests/fixtures/arguments.json', import.meta.url), 'utf8'),
) as Table;

/** Tools that answer with what they were called with. */
export function echoTools() {
  return Object.fromEntries(
    table.tools.map(({ name, ...tool }) => [name, { ...tool, execute: async (input: unknown) => JSON.stringify({ tool: name, input }) }]),
  );
}

/** What a case should print and exit with; `stdout` of help is only a part. */
export function expected({ tool, input, message }: ArgumentCase) {
  if (message !== undefined) return { stdout: '', stderr: `${message}\n`, exitCode: 2 };
  return { stdout: tool === undefined ? undefined : { tool, input }, stderr: '', exitCode: 0 };
}

/** What a run gave, in the form of {@link expected}. */
export function seen(run: { stdout: string; stderr: string; exitCode: number }, { help, tool }: ArgumentCase) {
  if (help !== undefined) return { stdout: run.stdout.includes(help) ? undefined : run.stdout, stderr: run.stderr, exitCode: run.exitCode };
  return { ...run, stdout: tool === undefined ? run.stdout : (JSON.parse(run.stdout) as unknown) };
}
