import { type CommandOptions, commandTools } from './bridge.ts';
import { invalidOption } from './check.ts';
import type { HelpTool } from './command.ts';
import { SnugfitError } from './errors.ts';
import { isObject } from './value.ts';

/** A command as `just-bash` takes it, in `customCommands` or by `registerCommand`. */
export interface JustBashCommand {
  name: string;
  trusted: boolean;
  execute: (args: string[], context: JustBashContext) => Promise<JustBashResult>;
}

/** What a command sees of its shell. */
export interface JustBashContext {
  /** Bytes, one to a character. */
  stdin?: unknown;
  signal?: AbortSignal | undefined;
}

/** What a command gives back to its shell. */
export interface JustBashResult {
  stdout: string;
  stderr: string;
  exitCode: number;
  stdoutKind: 'text';
}

/** A shell of `just-bash`, as far as it concerns us. */
export interface JustBash {
  registerCommand: (command: never) => void;
}

/** What {@link planToolsForJustBash} gives. */
export interface JustBashPlan {
  /** What a model is to see: `<server>_help`, and the tools that stay beside it because they need an approval or run elsewhere. */
  tools: Record<string, HelpTool>;
  /** For `new Bash({ customCommands: registrations })`. */
  registrations: JustBashCommand[];
  /** Empties the store; the command fails from then on. Twice is fine. */
  close: () => void;
  /** As {@link close}, for `using`. */
  [Symbol.dispose]: () => void;
}

/**
 * Makes one command of a tool map for a [just-bash](https://www.npmjs.com/package/just-bash) shell. The command runs in this process, so
 * there is no bridge; its arguments are parsed as those of `transformToolsForCliMode`.
 *
 * Throws `INVALID_OPTION`, `INVALID_TOOLS`, `ALREADY_WRAPPED` or `NATIVE_MISSING`.
 *
 * @example
 * ```ts
 * const plan = planToolsForJustBash(tools, { serverName: 'inventory', shrinkfit: 6000 });
 * const bash = new Bash({ customCommands: plan.registrations });
 * await bash.exec('inventory search-items --query bolt | jq .total');
 * ```
 */
export function planToolsForJustBash(tools: object, options: CommandOptions): JustBashPlan {
  const { command, tools: seen, close: empty } = commandTools(tools, options);
  let closed = false;
  const close = () => {
    closed = true;
    empty();
  };
  const registration: JustBashCommand = {
    name: command.name,
    // It runs the owner's tools, which are outside the shell's sandbox on purpose.
    trusted: true,
    async execute(args, { stdin, signal }) {
      if (closed) return { stdout: '', stderr: `${command.name}: the session is closed\n`, exitCode: 1, stdoutKind: 'text' };
      const besides = signal === undefined ? {} : { abortSignal: signal, signal };
      return { ...(await command.run(args, textOfBytes(stdin), besides)), stdoutKind: 'text' };
    },
  };
  return { tools: seen, registrations: [registration], close, [Symbol.dispose]: close };
}

/**
 * As {@link planToolsForJustBash}, and installs the command in a shell that exists. After `close()` the command is still there, since
 * just-bash has no way to take one away, but fails and says why.
 *
 * @example
 * ```ts
 * const { tools, close } = transformToolsForJustBash(map, { bash: new Bash(), serverName: 'inventory', shrinkfit: 6000 });
 * ```
 */
export function transformToolsForJustBash(tools: object, options: CommandOptions & { bash: JustBash }): JustBashPlan {
  if (!isObject(options)) throw invalidOption('options', options, 'an object');
  const { bash, ...rest } = options;
  if (!isObject(bash) || typeof bash.registerCommand !== 'function')
    throw new SnugfitError(
      'INVALID_OPTION',
      'bash must be a Bash of the package just-bash: transformToolsForJustBash(tools, { bash: new Bash(), … }).',
    );
  const plan = planToolsForJustBash(tools, rest);
  for (const registration of plan.registrations) bash.registerCommand(registration as never);
  return plan;
}

/** The text of a shell's bytes, which come one to a character. */
function textOfBytes(stdin: unknown): string | undefined {
  return typeof stdin === 'string' ? Buffer.from(stdin, 'latin1').toString() : undefined;
}
