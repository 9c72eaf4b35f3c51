import type { NativeCommand } from './binding.ts';
import { SnugfitError, messageOf } from './errors.ts';
import type { Handing } from './marks.ts';
import { native } from './native.ts';
import { attempt } from './outcome.ts';
import { resultText } from './result-text.ts';
import { runTool } from './run.ts';
import { type ToolSchema, toolSchema } from './standard-schema.ts';
import { definitionOf, recoveryCalls } from './surface.ts';
import type { RunnableTool } from './tool.ts';
import type { SchemaAdapter } from './tool-schema.ts';
import { isObject } from './value.ts';

/** What a run of the command came to. */
export interface CommandResult {
  /** What the tool returned, as it is; or help. */
  stdout: string;
  /** Why it failed. */
  stderr: string;
  /** 0; 1 where the tool failed; 2 for a mistake in the arguments, where nothing ran. */
  exitCode: 0 | 1 | 2;
}

/** The tool by which a model finds out about a command. */
export interface HelpTool {
  description: string;
  inputSchema: ToolSchema<HelpInput>;
  execute: (input: HelpInput, ...rest: unknown[]) => Promise<string>;
}

/** What {@link HelpTool} takes. */
export interface HelpInput {
  /** A subcommand; without it all are listed. */
  command?: string | undefined;
}

/** Tools as subcommands of one command. */
export interface Command {
  /** The command's name, fit for a shell. */
  name: string;
  /** Runs a subcommand. `rest` is what the tool gets beside its input. */
  run: (args: string[], stdin: string | undefined, ...rest: unknown[]) => Promise<CommandResult>;
  helpTool: HelpTool;
}

/** The command `serverName` with a subcommand for each tool. Arguments are parsed and help is written in the addon. */
export function openCommand(serverName: string, tools: Map<string, RunnableTool>, adapter?: SchemaAdapter): Command {
  const { Command } = native();
  const definitions = [...tools].map(([name, tool]) => definitionOf(name, tool, adapter));
  const command = attempt(() => new Command(serverName, definitions));
  const calls = recoveryCalls(tools, (tool) => ({ recoveryTool: command.callOf(tool) ?? tool, recoveryCall: 'command' }));
  const how: Handing = { form: 'text', calls };
  return {
    name: command.name(),
    run: (args, stdin, ...rest) => run(command, tools, how, args, stdin, rest),
    helpTool: helpTool(command),
  };
}

async function run(
  command: NativeCommand,
  tools: Map<string, RunnableTool>,
  how: Handing,
  args: string[],
  stdin: string | undefined,
  rest: unknown[],
): Promise<CommandResult> {
  const failed = (exitCode: 1 | 2, message: string): CommandResult => ({ stdout: '', stderr: `${message}\n`, exitCode });
  try {
    const { help, usage, tool: name, input } = attempt(() => command.parse(args, stdin));
    if (help !== undefined) return { stdout: help, stderr: '', exitCode: 0 };
    if (usage !== undefined) return failed(2, usage);
    const tool = name === undefined ? undefined : tools.get(name);
    if (name === undefined || tool === undefined || input === undefined)
      throw new SnugfitError('INTERNAL', 'snugfit failed: the command knows a tool that is not there');
    return { stdout: resultText(await runTool(name, tool, JSON.parse(input), how, ...rest)), stderr: '', exitCode: 0 };
  } catch (thrown) {
    return failed(1, messageOf(thrown));
  }
}

const HELP_SCHEMA = { type: 'object', properties: { command: { type: 'string' } } };

function helpTool(command: NativeCommand): HelpTool {
  return {
    description: command.overview(),
    inputSchema: toolSchema(HELP_SCHEMA, (value) => ({ value: isObject(value) ? value : {} })),
    execute: (input: unknown) =>
      Promise.resolve().then(() => {
        const name = isObject(input) && typeof input.command === 'string' ? input.command.trim() : '';
        const { help, usage } = attempt(() => command.parse(name === '' ? ['--help'] : ['help', ...name.split(/\s+/)], undefined));
        if (help === undefined) throw new SnugfitError('UNKNOWN_TOOL', usage ?? 'there is no such command');
        return help;
      }),
  };
}
