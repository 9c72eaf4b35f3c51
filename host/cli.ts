import { type BridgeOptions, type ExecutableToolBridge, commandTools, openBridge } from './bridge.ts';
import { type WrittenClient, writeClient } from './client-files.ts';
import { native } from './native.ts';
import { attempt } from './outcome.ts';

/** Options of {@link transformToolsForCliMode}. */
export interface CliModeOptions extends BridgeOptions {
  /** The folder for the command; without it nothing is written. */
  outputDir?: string | undefined;
}

/** A command that calls the tools of a map through its bridge. */
export interface CliMode extends ExecutableToolBridge, WrittenClient {}

/**
 * Makes one shell command of a tool map: `inventory search-items --query "bolt" --max-results 5`. The model gets one tool,
 * `<server>_help`, whose description lists the subcommands, and works through its shell.
 *
 * The command is a small POSIX script (a `.cmd` on Windows) that sends its arguments to a bridge in this process. It exits with 0, with 1
 * where a tool failed, with 2 for a mistake in the arguments; results go to stdout as they are, errors to stderr.
 *
 * Rejects with `INVALID_OPTION`, `INVALID_TOOLS`, `ALREADY_WRAPPED`, `BRIDGE_FAILED` or `NATIVE_MISSING`.
 *
 * @example
 * ```ts
 * const cli = await transformToolsForCliMode(tools, { serverName: 'inventory', outputDir, shrinkfit: 6000 });
 * spawn('sh', ['-c', command], { env: { ...process.env, ...cli.environment } });
 * await cli.close();
 * ```
 */
export async function transformToolsForCliMode(tools: object, options: CliModeOptions): Promise<CliMode> {
  const behind = commandTools(tools, options, ['limits', 'outputDir']);
  const bridge = await openBridge(behind, options.limits);
  try {
    const generated = attempt(() =>
      native().shellClient(behind.command.name, bridge.bridgeUrl, bridge.token, process.platform === 'win32'),
    );
    return { ...bridge, tools: behind.tools, ...(await writeClient(generated, options.outputDir, 'PATH')) };
  } catch (thrown) {
    await bridge.close();
    throw thrown;
  }
}
