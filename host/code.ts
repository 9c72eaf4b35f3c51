import { join, resolve } from 'node:path';
import type { NativeCode } from './binding.ts';
import { type BridgeOptions, type ExecutableToolBridge, hideTools, openBridge } from './bridge.ts';
import { oneOf } from './check.ts';
import { type WrittenClient, writeClient } from './client-files.ts';
import { native } from './native.ts';
import { attempt } from './outcome.ts';
import { type ToolSchema, toolSchema } from './standard-schema.ts';
import { definitionOf, recoveryCalls } from './surface.ts';
import { isObject } from './value.ts';

/** A language for which there is a client. */
export type CodeLanguage = 'typescript' | 'python';

/** Options of {@link transformToolsForCodeMode}. */
export interface CodeModeOptions extends BridgeOptions {
  /** The language of the module. */
  language: CodeLanguage;
  /** The folder for the module; without it nothing is written. */
  outputDir?: string | undefined;
}

/** What {@link CodeHelpTool} takes. */
export interface CodeHelpInput {
  /** A function; without it all are listed. */
  function?: string | undefined;
}

/** The tool by which a model finds out about a module. */
export interface CodeHelpTool {
  description: string;
  inputSchema: ToolSchema<CodeHelpInput>;
  /** A function's types, documentation and signature, exactly as they are in the module. */
  execute: (input: CodeHelpInput, ...rest: unknown[]) => Promise<string>;
}

/** A module that calls the tools of a map through its bridge. */
export interface CodeMode extends Omit<ExecutableToolBridge, 'tools'>, WrittenClient {
  /** The module's name, without an ending. */
  module: string;
  /** What a model is to see: `<module>_help`, and the tools that stay beside it because they need an approval or run elsewhere. */
  tools: Record<string, CodeHelpTool>;
}

const LANGUAGES = ['typescript', 'python'] as const;

/**
 * Makes one module of a tool map, with a function for each tool, for an agent that writes programs: `await searchItems("bolt")`,
 * `search_items("bolt")`. The model gets one tool, `<module>_help`, whose description lists the functions.
 *
 * Functions return what tools returned as text. A tool that says what it gives (`outputSchema`) has a typed variant as well,
 * `searchItems.json(…)` or `search_items_json(…)`, which parses, and fails where the result is only a preview. The module is typed, needs no
 * package, and calls a bridge in this process; the bridge's token is in a file of its own that only you can read.
 *
 * Rejects with `INVALID_OPTION`, `INVALID_TOOLS`, `ALREADY_WRAPPED`, `BRIDGE_FAILED` or `NATIVE_MISSING`.
 *
 * @example
 * ```ts
 * const code = await transformToolsForCodeMode(tools, { serverName: 'inventory', language: 'python', outputDir, shrinkfit: 6000 });
 * spawn('python3', ['program.py'], { env: { ...process.env, ...code.environment } });
 * await code.close();
 * ```
 */
export async function transformToolsForCodeMode(tools: object, options: CodeModeOptions): Promise<CodeMode> {
  const language = oneOf('language', (options as Partial<CodeModeOptions> | undefined)?.language, LANGUAGES);
  const hidden = hideTools(tools, options, ['limits', 'outputDir', 'language']);
  const definitions = [...hidden.behind].map(([name, tool]) => definitionOf(name, tool, options.schemaAdapter));
  const { Code } = native();
  const code = attempt(() => new Code(options.serverName, definitions, language));
  const calls = recoveryCalls(hidden.behind, (tool) => ({ recoveryTool: code.callOf(tool) ?? tool, recoveryCall: language }));
  const bridge = await openBridge(hidden, options.limits, calls);
  try {
    const module = code.module();
    const written = await writeClient(
      attempt(() => code.files(bridge.bridgeUrl, bridge.token)),
      options.outputDir,
      language === 'python' ? 'PYTHONPATH' : undefined,
    );
    const place = options.outputDir === undefined ? `./${module}.ts` : join(resolve(options.outputDir), `${module}.ts`);
    return { ...bridge, ...written, module, tools: hidden.seenWith(`${module}_help`, helpTool(code, place)) };
  } catch (thrown) {
    await bridge.close();
    throw thrown;
  }
}

const HELP_SCHEMA = { type: 'object', properties: { function: { type: 'string' } } };

function helpTool(code: NativeCode, place: string): CodeHelpTool {
  const description = code.overview(place);
  return {
    description,
    inputSchema: toolSchema(HELP_SCHEMA, (value) => ({ value: isObject(value) ? value : {} })),
    execute: (input: unknown) =>
      Promise.resolve().then(() => {
        const name = isObject(input) && typeof input.function === 'string' ? input.function.trim() : '';
        return name === '' ? description : (attempt(() => code.help(name)).text ?? '');
      }),
  };
}
