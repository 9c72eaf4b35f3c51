import { type BridgeAnswer, type BridgeLimits, failure, listen } from './bridge-server.ts';
import { checkKeys, invalidOption, positiveInteger, text } from './check.ts';
import { type Command, type HelpTool, openCommand } from './command.ts';
import { SnugfitError, messageOf } from './errors.ts';
import type { RecoveryCalls } from './marks.ts';
import { SHRINKFIT_OPTIONS, type ShrinkfitOptions } from './options.ts';
import { asSnugfitError } from './outcome.ts';
import { Preview, noticeOf } from './preview.ts';
import { resultJson, resultText } from './result-text.ts';
import { runTool } from './run.ts';
import { shrinkfitTools } from './shrinkfit-tools.ts';
import { splitTools } from './surface.ts';
import { type RunnableTool, addTool } from './tool.ts';
import type { SchemaAdapter } from './tool-schema.ts';
import { isObject } from './value.ts';

/** Options that commands and bridges have in common; those of `shrinkfitTools` count where `shrinkfit` is given. */
export interface CommandOptions extends ShrinkfitOptions {
  /** Names the command and the help tool; what a shell does not take in a name becomes `-`. */
  serverName: string;
  /** Gives the JSON Schema of a schema object that is none of JSON Schema, zod, Standard Schema or the AI SDK's. */
  schemaAdapter?: SchemaAdapter | undefined;
}

/** Options of {@link createExecutableToolBridge}. */
export interface BridgeOptions extends CommandOptions {
  limits?: BridgeLimits | undefined;
}

/** Tools that other processes of this machine can call. */
export interface ExecutableToolBridge {
  /** Such as `http://127.0.0.1:40123`. */
  bridgeUrl: string;
  /** The bearer token of every request; never put it on a command line. */
  token: string;
  /** What a model is to see: `<server>_help`, and the tools that stay beside it because they need an approval or run elsewhere. */
  tools: Record<string, HelpTool>;
  /** Refuses new calls, lets running ones finish for a moment, then ends them, frees the port and empties the store. Twice is fine. */
  close: () => Promise<void>;
  /** As {@link close}, for `await using`. */
  [Symbol.asyncDispose]: () => Promise<void>;
}

/** Tools behind another surface. */
export interface HiddenTools {
  behind: Map<string, RunnableTool>;
  /** The tools that a model goes on to see, with the help tool of the surface under this name. */
  seenWith: <Help>(name: string, help: Help) => Record<string, Help>;
  /** Empties the store. */
  close: () => void;
}

/** Tools behind a command, and what is left for the model to see. */
export interface CommandTools extends HiddenTools {
  command: Command;
  tools: Record<string, HelpTool>;
}

/** Wraps tools where a budget is given and puts them behind a command. */
export function commandTools(tools: object, options: CommandOptions, extra: readonly string[] = []): CommandTools {
  const hidden = hideTools(tools, options, extra);
  const command = openCommand(options.serverName, hidden.behind, options.schemaAdapter);
  return { ...hidden, command, tools: hidden.seenWith(`${command.name}_help`, command.helpTool) };
}

/** Checks options, wraps tools where a budget is given, and tells those that a surface may run from those that stay beside it. */
export function hideTools(tools: object, options: CommandOptions, extra: readonly string[]): HiddenTools {
  checkKeys('options', options, ['serverName', 'schemaAdapter', ...extra, ...SHRINKFIT_OPTIONS]);
  const { serverName, schemaAdapter } = options;
  if (schemaAdapter !== undefined && typeof schemaAdapter !== 'function')
    throw invalidOption('schemaAdapter', schemaAdapter, 'a function from a schema to its JSON Schema');
  text('serverName', serverName);
  const shrinkfit = Object.fromEntries(Object.entries(options).filter(([name]) => SHRINKFIT_OPTIONS.includes(name)));
  const { tools: map, close } = shrinkfitTools(tools, shrinkfit as ShrinkfitOptions) as { tools: object; close: () => void };
  const { behind, beside } = splitTools(map);
  const seenWith = <Help>(name: string, help: Help) => {
    const seen = Object.create(Object.getPrototypeOf(map) as object | null) as Record<string, Help>;
    for (const key of beside) addTool(seen, key, (map as Record<PropertyKey, unknown>)[key]);
    addTool(seen, name, help);
    return seen;
  };
  return { behind, seenWith, close };
}

/**
 * Opens a bridge to the tools of a map: HTTP on loopback, for generated clients and for sandboxes that call tools themselves.
 *
 * `POST /exec` with `{"tool": name, "input": {…}}` answers `{"result": text}` or `{"error": message, "code"?: …}`; with `"format": "json"` the
 * result is JSON (the structured content where there is some), and one that was cut is the error `PREVIEW` with its `notice` and the
 * `preview`. `POST /cli` is for the generated command; `GET /health`. All but the last want `Authorization: Bearer <token>`. Calls run at the
 * same time; a client that goes away aborts its call.
 *
 * Rejects with `INVALID_OPTION`, `INVALID_TOOLS`, `ALREADY_WRAPPED`, `BRIDGE_FAILED` or `NATIVE_MISSING`.
 *
 * @example
 * ```ts
 * const bridge = await createExecutableToolBridge(tools, { serverName: 'inventory', shrinkfit: 6000 });
 * const response = await fetch(`${bridge.bridgeUrl}/exec`, {
 *   method: 'POST',
 *   headers: { authorization: `Bearer ${bridge.token}` },
 *   body: JSON.stringify({ tool: 'search', input: { query: 'bolt' } }),
 * });
 * await bridge.close();
 * ```
 */
export async function createExecutableToolBridge(tools: object, options: BridgeOptions): Promise<ExecutableToolBridge> {
  const hidden = commandTools(tools, options, ['limits']);
  return { ...(await openBridge(hidden, options.limits)), tools: hidden.tools };
}

/** Opens the bridge to tools that are behind a surface already, and to their command if they have one. */
export async function openBridge(
  { behind, command, close: empty }: HiddenTools & { command?: Command },
  limits: BridgeLimits | undefined,
  calls: RecoveryCalls = new Map(),
): Promise<Omit<ExecutableToolBridge, 'tools'>> {
  const server = await listen(({ route, body, signal }) => {
    if (route === 'POST /exec') return exec(behind, calls, body, signal);
    if (route === 'POST /cli' && command !== undefined) return cli(command, body, signal);
    return Promise.resolve(failure(404, `there are POST /exec, ${command === undefined ? '' : 'POST /cli '}and GET /health`));
  }, checkLimits(limits));
  const close = async () => {
    await server.close();
    empty();
  };
  return { bridgeUrl: server.url, token: server.token, close, [Symbol.asyncDispose]: close };
}

/** What tools get beside their input: the signal where the hosts put it. */
function besides(signal: AbortSignal): object {
  return { abortSignal: signal, signal };
}

async function exec(tools: Map<string, RunnableTool>, calls: RecoveryCalls, body: string, signal: AbortSignal): Promise<BridgeAnswer> {
  let call: unknown;
  try {
    call = JSON.parse(body);
  } catch (thrown) {
    return failure(400, `the body must be {"tool": name, "input": {…}}: ${messageOf(thrown)}`, 'INVALID_INPUT');
  }
  if (!isObject(call) || typeof call.tool !== 'string')
    return failure(400, 'the body must be {"tool": name, "input": {…}}', 'INVALID_INPUT');
  const tool = tools.get(call.tool);
  if (tool === undefined) return failure(404, `there is no tool ${JSON.stringify(call.tool.slice(0, 80))}`, 'UNKNOWN_TOOL');
  try {
    const typed = call.format === 'json';
    const returned = await runTool(call.tool, tool, call.input ?? {}, { form: typed ? 'typed' : 'text', calls }, besides(signal));
    return typed ? whole(returned) : answer(200, { result: resultText(returned) });
  } catch (thrown) {
    const code = thrown instanceof SnugfitError ? asSnugfitError(thrown).code : undefined;
    return failure(code === 'INVALID_INPUT' ? 400 : 500, messageOf(thrown), code);
  }
}

/** A result as a value, if it is all of it; a preview is an error, so that no program works on a part unknowingly. */
function whole(returned: unknown): BridgeAnswer {
  const shown = returned instanceof Preview ? returned.value : returned;
  const result = resultJson(shown);
  const notice = returned instanceof Preview ? returned.notice : noticeOf(shown);
  if (notice === undefined) return answer(200, { result });
  return answer(500, { error: `the result is only a preview: ${notice.message}`, code: 'PREVIEW', notice, preview: result });
}

function answer(status: number, fields: object): BridgeAnswer {
  return { status, type: 'application/json', body: JSON.stringify(fields) };
}

/** The answer's last character is the exit code: the client has nothing but a shell to take it apart with. */
async function cli(command: Command, body: string, signal: AbortSignal): Promise<BridgeAnswer> {
  const form = new URLSearchParams(body);
  const { stdout, stderr, exitCode } = await command.run(form.getAll('arg'), form.get('stdin') ?? undefined, besides(signal));
  return { status: 200, type: 'text/plain', body: `${exitCode === 0 ? stdout : stderr}${exitCode}` };
}

function checkLimits(limits: unknown): BridgeLimits {
  if (limits === undefined) return {};
  const names = ['bodyBytes', 'answerBytes', 'clientMs', 'closeMs'] as const;
  checkKeys('limits', limits, names);
  const given = limits as BridgeLimits;
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = given[name];
      return value === undefined ? [] : [[name, positiveInteger(`limits.${name}`, value, name.endsWith('Ms') ? 'milliseconds' : 'bytes')]];
    }),
  );
}
