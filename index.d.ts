/// <reference lib="esnext.disposable" />
/** The ways to count tokens, the default first. */
declare const ENCODINGS: readonly ["estimate", "o200k_base", "cl100k_base"];
/**
 * How tokens are counted: exactly as OpenAI's encodings do, or as a third of the bytes of UTF-8, a high estimate for models whose
 * tokenizer is not public.
 */
type Encoding = (typeof ENCODINGS)[number];
/**
 * The limit on the text that a model sees: a positive integer of Unicode characters, or several limits that must all hold.
 *
 * @example
 * ```ts
 * const budget: Budget = { chars: 6000, lines: 200 };
 * ```
 */
type Budget = number | BudgetLimits;
/** Limits that must all hold; name at least one. */
interface BudgetLimits {
  /** Unicode characters (scalar values). */
  chars?: number | undefined;
  /** Bytes of UTF-8. */
  bytes?: number | undefined;
  /** Lines: line feeds plus one. */
  lines?: number | undefined;
  /** Tokens, as {@link encoding} counts them. */
  tokens?: number | undefined;
  /**
   * How tokens are counted.
   * @default 'estimate'
   */
  encoding?: Encoding | undefined;
}
/** What a bridge allows. */
interface BridgeLimits {
  /**
   * Bytes of a request's body.
   * @default 67108864
   */
  bodyBytes?: number | undefined;
  /**
   * Bytes of an answer.
   * @default 67108864
   */
  answerBytes?: number | undefined;
  /**
   * Milliseconds that a client may take to send its request, or to take a part of the answer.
   * @default 30000
   */
  clientMs?: number | undefined;
  /**
   * Milliseconds that running calls get to finish when the bridge closes.
   * @default 2000
   */
  closeMs?: number | undefined;
}
/** What is wrong with a value, in the form of Standard Schema. */
interface Issue {
  readonly message: string;
  readonly path?: readonly PropertyKey[];
}
/** The outcome of a check in the form of Standard Schema. */
type Checked<Value> = {
  value: Value;
  issues?: undefined;
} | {
  issues: readonly Issue[];
};
/** One schema object that every host takes. */
interface ToolSchema<Value> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Checked<Value> | Promise<Checked<Value>>;
    readonly jsonSchema: {
      readonly input: () => Record<string, unknown>;
      readonly output: () => Record<string, unknown>;
    };
  };
  readonly jsonSchema: Record<string, unknown>;
  readonly validate: (value: unknown) => AiChecked<Value> | Promise<AiChecked<Value>>;
}
type AiChecked<Value> = {
  success: true;
  value: Value;
} | {
  success: false;
  error: Error;
};
/**
 * One schema object that every host takes: [Standard Schema](https://standardschema.dev) with `jsonSchema` for the AI SDK from version 6,
 * Mastra, MCP v2, OpenAI Agents and LangChain; and the fields of the AI SDK's own `Schema` for version 5, which knows only those.
 */
/** What the store in memory may hold; least recently used originals go first. */
interface StoreLimits {
  /**
   * Originals.
   * @default 128
   */
  entries?: number | undefined;
  /**
   * Bytes of originals and keys.
   * @default 67108864
   */
  bytes?: number | undefined;
  /**
   * Milliseconds for which an original is kept after its last use.
   * @default 300000
   */
  ttlMs?: number | undefined;
}
/**
 * A store of the host's, for originals that more than one process should find. Its methods may answer at once or by a promise.
 *
 * @example
 * ```ts
 * const files: OriginalStore = {
 *   get: (id) => readFile(join(folder, id), 'utf8').catch(() => undefined),
 *   set: (id, original) => writeFile(join(folder, id), original),
 *   delete: (id) => rm(join(folder, id), { force: true }),
 *   clear: () => rm(folder, { recursive: true, force: true }),
 * };
 * ```
 */
interface OriginalStore {
  /** The original of an id, as it was set; `undefined` or `null` where there is none. A read should renew it. */
  get: (id: string) => string | null | undefined | PromiseLike<string | null | undefined>;
  /** Keeps an original. The preview that names the id goes out once this is done. */
  set: (id: string, original: string) => unknown;
  /** Forgets one original. */
  delete: (id: string) => unknown;
  /** Forgets all originals; called by `close()` unless there is a `secret`. */
  clear: () => unknown;
  /**
   * Makes ids that are the same in every process that has it, so that one finds what another kept. Originals then outlive `close()`. Without
   * one, ids are the toolset's own.
   */
  secret?: string | undefined;
  /** Ids of one namespace mean nothing in another. */
  namespace?: string | undefined;
  /**
   * When `set` fails: `error` fails the call rather than promise a recovery; `passthrough` hands out the complete result.
   * @default 'error'
   */
  onFailure?: 'error' | 'passthrough' | undefined;
}
/** What the recovery tool takes: an id, and at most one of `path`, `search`, `lines`, `cursor` for a part of the original. */
interface RecoverInput {
  /** The id that a preview's notice gives. Alone, it asks for the complete original. */
  response_id: string;
  /** A JSON Pointer, a pattern as notices name cuts (`/issues/12..213`), or a JSONPath. */
  path?: string | null | undefined;
  /** A literal, or `/regex/` with any of the flags `imsx`. */
  search?: string | null | undefined;
  /**
   * With `search`: lines around each match of a text, 0 to 100.
   * @default 2
   */
  context?: number | null | undefined;
  /** `120-180`, `120`, or `-50` for the last 50 lines. */
  lines?: string | null | undefined;
  /** The `next_cursor` of the last answer. */
  cursor?: string | null | undefined;
}
/** The recovery tool's schema, in the dialect of every host. */
declare const recoverSchema: ToolSchema<RecoverInput>;
/** The recovery tool's name, unless a tool of that name is there already. */
declare const RECOVERY_TOOL = "compressor_recover_response";
/** The tool by which a model gets at the original of a preview. */
interface RecoveryTool {
  description: string;
  inputSchema: RecoverySchema;
  /**
   * The complete original (an MCP envelope as JSON, any other value as the text that was fitted), or, for one of `path`, `search`, `lines`
   * and `cursor`, that part within the budget for recovery.
   */
  execute: (input: RecoverInput) => Promise<string>;
}
/** The schema of {@link RecoveryTool}: a Standard Schema with JSON Schema, and an AI SDK schema in one. */
type RecoverySchema = typeof recoverSchema;
/** A tool map with the recovery tool beside its own tools. */
type WithRecovery<Tools> = Tools & Record<typeof RECOVERY_TOOL, RecoveryTool>;
/** Gives the JSON Schema of a tool's own schema object; `undefined` where the usual ways are to be tried. */
type SchemaAdapter = (schema: unknown, tool: string) => object | undefined;
/**
 * A map like `tools` in which no schema is a promise any more, for functions that cannot wait. Tools without one are the same as before.
 *
 * @example
 * ```ts
 * const map = compressTools(await resolveSchemas(tools));
 * ```
 */
declare function resolveSchemas<Tools extends object>(tools: Tools): Promise<Tools>;
/** The tool by which a model finds out about a command. */
interface HelpTool {
  description: string;
  inputSchema: ToolSchema<HelpInput>;
  execute: (input: HelpInput, ...rest: unknown[]) => Promise<string>;
}
/** What {@link HelpTool} takes. */
interface HelpInput {
  /** A subcommand; without it all are listed. */
  command?: string | undefined;
}
/** What can go wrong, as {@link SnugfitError.code} says it. */
type ErrorCode = /** An option is unknown, malformed or not there yet. */'INVALID_OPTION' /** What was given as tools is no tool map. */ | 'INVALID_TOOLS' /** A value or the input of the recovery tool cannot be used. */ | 'INVALID_INPUT' /** No tool has this name. */ | 'UNKNOWN_TOOL' /** A tool is already wrapped; a preview must not be shortened again. */ | 'ALREADY_WRAPPED' /** The budget cannot hold a preview and its notice; {@link SnugfitError.needed} is the least that would do. */ | 'BUDGET_TOO_SMALL' /** The original alone is larger than the whole store. */ | 'ORIGINAL_TOO_LARGE' /** The id is unknown, has expired or was evicted. */ | 'RESPONSE_UNAVAILABLE' /** A path, search or range of lines cannot be read. */ | 'INVALID_SELECTOR' /** A path leads nowhere in the original. */ | 'PATH_NOT_FOUND' /** A cursor is none of ours. */ | 'INVALID_CURSOR' /** The store did not take or give what it should. */ | 'STORE_FAILED' /** A result is not of the type that a program asked for. */ | 'INVALID_ANSWER' /** The toolset is closed. */ | 'CLOSED' /** The call was aborted; the error's `name` is `AbortError`. */ | 'ABORTED' /** A package that this function composes with is not installed. */ | 'PEER_MISSING' /** The bridge of generated clients could not be started. */ | 'BRIDGE_FAILED' /** A server cannot be started or reached, or does not answer as an MCP server does. */ | 'SERVER_FAILED' /** A fault of snugfit itself. */ | 'INTERNAL' /** The native addon is missing or cannot be loaded. */ | 'NATIVE_MISSING';
/** Details that a {@link SnugfitError} may carry. */
interface ErrorDetails {
  /** What caused it. */
  cause?: unknown;
  /** See {@link SnugfitError.needed}. */
  needed?: number | undefined;
}
/**
 * The one error that snugfit throws. Decide by {@link code}; the message is for people and models.
 *
 * @example
 * ```ts
 * try {
 *   await fit(value, { budget: 10 });
 * } catch (error) {
 *   if (error instanceof SnugfitError && error.code === 'BUDGET_TOO_SMALL') console.log(error.needed);
 * }
 * ```
 */
declare class SnugfitError extends Error {
  /** The stable name of what went wrong. */
  readonly code: ErrorCode;
  /** With `BUDGET_TOO_SMALL`: the least budget that would do, in the unit that the message names. */
  readonly needed?: number;
  constructor(code: ErrorCode, message: string, details?: ErrorDetails);
}
/** What a fit did. All counters at zero means that nothing at all was lost. */
interface Report {
  /** Unicode characters of the input. */
  inputChars: number;
  /** Unicode characters of the output, the notice included. */
  outputChars: number;
  /** The limit in characters, or the first limit named where there is none in characters. */
  budget: number;
  /** The kind of content found, such as `json`, `log`, `text`. */
  kind: string;
  /** Nothing was left out (white space apart). */
  complete: boolean;
  /** The input was within the budget, or could be made so without a cut. */
  fits: boolean;
  /** Something was cut. */
  pruned: boolean;
  /** List elements, records or rows left out. */
  itemsOmitted: number;
  /** Object keys left out, over all objects. */
  keysOmitted: number;
  /** Texts shortened. */
  stringsTruncated: number;
  /** Lines left out. */
  linesOmitted: number;
  /** Raw characters that had to be replaced (invalid UTF-8, lone surrogates) or removed (escape sequences). */
  replaced: number;
  /** The levers used, cheapest first. */
  levers: string[];
  /** The largest cuts, largest first. */
  omitted: Omission[];
}
/** One cut: where it was and how much went. */
interface Omission {
  /** A JSON Pointer, with `*` for a segment that varies and `a..b` for a range of elements. */
  path?: string;
  /** 1-based lines of a text, inclusive, such as `120-180`. */
  lines?: string;
  /** Elements, records, keys or lines. */
  items?: number;
  /** Characters. */
  chars?: number;
}
/** What {@link ShrinkfitOptions.onFit} is told about a result that was over the budget, or that could not be read. */
interface FitEvent {
  /** The tool's name in the map. */
  tool: string;
  /** `fitted`: a preview went out. `passed`: the original went out, see `error`. `failed`: the call failed with `error`. */
  outcome: 'fitted' | 'passed' | 'failed';
  /** Unicode characters of the result, where it could be read. */
  before?: number;
  /** Unicode characters of what went out in its place, where it was fitted. */
  after?: number;
  /** Milliseconds from the tool's result to ours, waiting for a worker included. */
  ms: number;
  /** What was cut. */
  report?: Report;
  /** The id that recovers the original. */
  responseId?: string;
  /** Why the result was not fitted. */
  error?: SnugfitError;
}
/** Rules for the tools whose names match a pattern. */
interface ToolRules {
  /** Their budget. */
  shrinkfit?: Budget | undefined;
  /** What becomes of their results over the budget. */
  mode?: Mode | undefined;
  /** What must survive in their results: JSON Pointers with `*` (one segment) and `**` (any number), or bare key names. */
  protect?: readonly string[] | undefined;
  /** Their results pass as if snugfit were not there. */
  skip?: boolean | undefined;
}
/** As much of an `AbortSignal` as is needed, so that no DOM types are. */
interface AbortSignalLike {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}
/** One allowance for the results of a turn: the calls that a model makes at once. Made by {@link createTurnBudget}. */
interface TurnBudget {
  /**
   * Begins a new turn with the whole allowance. Calls that have begun stay in theirs. With the number of calls to come, each has its part
   * from the start, however early others come back.
   */
  next(calls?: number): void;
}
/** What the results of a turn may take together. */
type TurnBudgetOptions = {
  /**
   * How long a result waits for others, in milliseconds, where its share depends on them. `0`: never; a large result that comes early then
   * gets an equal part, and what small ones leave goes to those that come later.
   * @default 10000
   */
  waitMs?: number | undefined;
} & ({
  /** Unicode characters. */chars: number;
} | {
  /** Tokens, as the budget of each result counts them. */tokens: number;
});
/**
 * One allowance that the results of a turn share fairly, whatever the order in which they come back: a small result passes whole, and what
 * it leaves goes to the larger ones in equal parts. Its own budget holds for each result as well.
 *
 * Throws `INVALID_OPTION` or `NATIVE_MISSING`.
 *
 * @example
 * ```ts
 * const turnBudget = createTurnBudget({ tokens: 20_000 });
 * const { tools } = shrinkfitTools({ search, fetch }, { shrinkfit: { tokens: 20_000 }, turnBudget });
 * await generateText({ model, tools, prompt, onStepFinish: () => turnBudget.next() });
 * ```
 */
declare function createTurnBudget(options: TurnBudgetOptions): TurnBudget;
/** Options of {@link shrinkfitTools}. */
interface ShrinkfitOptions {
  /** The budget of every result. Without it results pass as if snugfit were not there. */
  shrinkfit?: Budget | undefined;
  /** Rules for some of the tools, by name; `*` stands for any characters, `?` for one. Where several match, later ones win. */
  perTool?: Record<string, ToolRules> | undefined;
  /**
   * What becomes of a result over the budget. `condense`: a preview of what tells most. `page`: its first page of whole items, with a cursor
   * for the recovery tool, which gives the others. `trim`: its first part. What has no list or text to page is condensed.
   * @default 'condense'
   */
  mode?: Mode | undefined;
  /**
   * Where the notice of a plain string stands: `inline` (last key, last element, last line), or `envelope` (one JSON document whatever comes;
   * objects as inline).
   * @default 'inline'
   */
  notice?: 'inline' | 'envelope' | undefined;
  /** Limits of the store of originals, or a store of your own; `false`: nothing is kept, and no recovery tool is added. */
  store?: StoreLimits | OriginalStore | false | undefined;
  /**
   * Every wrapped tool takes `{"$recover":{"response_id":"…","path":"/body"}}` in place of any argument value and is run with the original,
   * or its part, that it names: a model hands a long result to a writing tool without copying it. Its description says so.
   * @default false
   */
  passOriginals?: boolean | undefined;
  /**
   * The budget of partial reads by the recovery tool.
   * @default shrinkfit
   */
  recoveryBudget?: Budget | undefined;
  /**
   * What the results of a turn may take together, by `createTurnBudget`; may be shared by several maps. Not with `target: 'model'`, which asks
   * for the same result again and again.
   */
  turnBudget?: TurnBudget | undefined;
  /** Told about every result over the budget, for logs and meters; not about what passes by rule: `skip`, and errors and media that are kept. */
  onFit?: ((event: FitEvent) => unknown) | undefined;
  /** Extra words that say what the agent is after; the call's arguments are always used. */
  relevance?: ((call: ToolCall) => string) | undefined;
  /**
   * `structuredContent` of MCP results. `keep`: never touched. `auto`, for hosts that show it to the model: it counts against the budget, is
   * left out of a preview whose text it repeats, and is fitted as the text is otherwise.
   * @default 'keep'
   */
  structured?: 'keep' | 'auto' | undefined;
  /**
   * Errors, thrown or in results with `isError`. `keep`: never shortened and never stored. `fit`: long ones are, as results are.
   * @default 'keep'
   */
  errors?: 'keep' | 'fit' | undefined;
  /**
   * Texts beside an image, audio or embedded resource. `keep`: the whole result stays as it is. `fit`: they are fitted, the media stay.
   * @default 'keep'
   */
  multimodal?: 'keep' | 'fit' | undefined;
  /**
   * What is fitted. `result`: what `execute` returns. `model`, for AI SDK hosts whose own UI shows complete results: only what the model
   * sees, in `toModelOutput`.
   * @default 'result'
   */
  target?: 'result' | 'model' | undefined;
  /**
   * Takes secrets out of what is about to be kept or shown in a preview: is given the text of the result, or each text of an MCP result.
   * A result within the budget is neither, and passes untouched. If it throws, the call fails.
   */
  redact?: ((text: string) => string) | undefined;
  /**
   * A fault of snugfit itself: `passthrough` hands out the result as it was, `error` fails the call. `onFit` hears of it either way.
   * @default 'passthrough'
   */
  onInternalError?: 'passthrough' | 'error' | undefined;
}
/** What becomes of a result over the budget. */
type Mode = 'condense' | 'page' | 'trim';
/** A call of a tool, as {@link ShrinkfitOptions.relevance} sees it. */
interface ToolCall {
  /** The tool's name in the map. */
  tool: string;
  /** What it was called with. */
  input: unknown;
}
/** Options that commands and bridges have in common; those of `shrinkfitTools` count where `shrinkfit` is given. */
interface CommandOptions extends ShrinkfitOptions {
  /** Names the command and the help tool; what a shell does not take in a name becomes `-`. */
  serverName: string;
  /** Gives the JSON Schema of a schema object that is none of JSON Schema, zod, Standard Schema or the AI SDK's. */
  schemaAdapter?: SchemaAdapter | undefined;
}
/** Options of {@link createExecutableToolBridge}. */
interface BridgeOptions extends CommandOptions {
  limits?: BridgeLimits | undefined;
}
/** Tools that other processes of this machine can call. */
interface ExecutableToolBridge {
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
declare function createExecutableToolBridge(tools: object, options: BridgeOptions): Promise<ExecutableToolBridge>;
/** Where the files of a generated client are, and what a shell needs to find them. */
interface WrittenClient {
  /** Absolute paths of the files that were written; none without `outputDir`. */
  paths: string[];
  /** All files, by path relative to the folder of the client. Those whose name begins with a dot hold the token: keep them private. */
  files: Record<string, string>;
  /** Variables for the process that uses it: of commands the `PATH`, of Python the `PYTHONPATH`, with the folder of the client before it. */
  environment: Record<string, string>;
}
/** Options of {@link transformToolsForCliMode}. */
interface CliModeOptions extends BridgeOptions {
  /** The folder for the command; without it nothing is written. */
  outputDir?: string | undefined;
}
/** A command that calls the tools of a map through its bridge. */
interface CliMode extends ExecutableToolBridge, WrittenClient {}
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
declare function transformToolsForCliMode(tools: object, options: CliModeOptions): Promise<CliMode>;
/** A language for which there is a client. */
type CodeLanguage = 'typescript' | 'python';
/** Options of {@link transformToolsForCodeMode}. */
interface CodeModeOptions extends BridgeOptions {
  /** The language of the module. */
  language: CodeLanguage;
  /** The folder for the module; without it nothing is written. */
  outputDir?: string | undefined;
}
/** What {@link CodeHelpTool} takes. */
interface CodeHelpInput {
  /** A function; without it all are listed. */
  function?: string | undefined;
}
/** The tool by which a model finds out about a module. */
interface CodeHelpTool {
  description: string;
  inputSchema: ToolSchema<CodeHelpInput>;
  /** A function's types, documentation and signature, exactly as they are in the module. */
  execute: (input: CodeHelpInput, ...rest: unknown[]) => Promise<string>;
}
/** A module that calls the tools of a map through its bridge. */
interface CodeMode extends Omit<ExecutableToolBridge, 'tools'>, WrittenClient {
  /** The module's name, without an ending. */
  module: string;
  /** What a model is to see: `<module>_help`, and the tools that stay beside it because they need an approval or run elsewhere. */
  tools: Record<string, CodeHelpTool>;
}
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
declare function transformToolsForCodeMode(tools: object, options: CodeModeOptions): Promise<CodeMode>;
/** How results are rendered that are JSON: as [TOON](https://toonformat.dev), or with `csv` as CSV where they are plain tables. */
type Toonify = boolean | 'csv';
/** Options of {@link compressTools}; those of `shrinkfitTools` count where `shrinkfit` is given. */
interface CompressOptions<Prefix extends string = string> extends ShrinkfitOptions {
  /**
   * How much of each tool is listed. `low`: parameters and whole description; `medium`: parameters and first sentence; `high`: parameters;
   * `max`: nothing, `list_tools` gives the names.
   * @default 'medium'
   */
  compressionLevel?: CompressionLevel | undefined;
  /** Stands before the wrappers' names: `alpha` makes `alpha_invoke_tool`. What model APIs do not take in a name becomes `_`. */
  namePrefix?: Prefix | undefined;
  /**
   * Results that are JSON come back as [TOON](https://toonformat.dev), or with `csv` as CSV where they are plain tables, if that is shorter.
   * Without effect where results are fitted: a notice and a recovered original stay as they are.
   * @default false
   */
  toonify?: Toonify | undefined;
  /** Gives the JSON Schema of a schema object that is none of JSON Schema, zod, Standard Schema or the AI SDK's. */
  schemaAdapter?: SchemaAdapter | undefined;
}
/** How much of each tool {@link compressTools} lists. */
type CompressionLevel = 'low' | 'medium' | 'high' | 'max';
/** A tool that stands for others, for every host. */
interface WrapperTool<Input, Output> {
  description: string;
  inputSchema: ToolSchema<Input>;
  execute: (input: Input, ...rest: unknown[]) => Promise<Output>;
}
/** What `invoke_tool` takes. */
interface InvokeInput {
  /** A name of the listing. */
  tool_name: string;
  /** The tool's own input; JSON text of it is taken as well. */
  tool_input?: unknown;
}
type Prefixed<Prefix extends string, Name extends string> = '' extends Prefix ? Name : `${Prefix}_${Name}`;
/** A compressed map: the wrappers, and the tools that stay beside them. */
type CompressedTools<Tools, Prefix extends string = ''> = Record<Prefixed<Prefix, 'get_tool_schema'>, WrapperTool<{
  tool_name: string;
}, string>> & Record<Prefixed<Prefix, 'invoke_tool'>, WrapperTool<InvokeInput, unknown>> & Partial<Record<Prefixed<Prefix, 'list_tools'>, WrapperTool<object, string>>> & Partial<Tools>;
/**
 * Puts two or three tools in the place of all: `get_tool_schema`, whose description lists the tools, `invoke_tool`, and at the level `max`
 * `list_tools`. Tools without `execute`, or with `needsApproval`, stay in the map beside them. With `shrinkfit` the results are fitted, and
 * the recovery tool is one of the tools listed.
 *
 * Where the wrappers would be larger than what they replace, the tools are listed as they are and a process warning says so; the wrappers
 * can be called all the same.
 *
 * Throws `INVALID_OPTION`, `INVALID_TOOLS`, `ALREADY_WRAPPED` or `NATIVE_MISSING`. `invoke_tool` fails with `UNKNOWN_TOOL` or
 * `INVALID_INPUT` before the tool runs.
 *
 * @example
 * ```ts
 * const tools = compressTools({ search, fetch }, { compressionLevel: 'medium', shrinkfit: 6000 });
 * await tools.invoke_tool.execute({ tool_name: 'search', tool_input: { query: 'bolt' } });
 * ```
 */
declare function compressTools<Tools extends object, const Prefix extends string = ''>(tools: Tools, options?: CompressOptions<Prefix>): CompressedTools<Tools, Prefix>;
/** Options of {@link shrinkDefinitions}. */
interface ShrinkDefinitionsOptions {
  /**
   * `rules`: by rules alone. `llm`: descriptions come from the file at `cachePath`, which somebody filled beforehand; a description that is
   * not in it is shortened by the rules, and one warning says how many were.
   * @default 'rules'
   */
  mode?: 'rules' | 'llm' | undefined;
  /**
   * Characters of a tool's description; a sentence that ends a little past them is finished.
   * @default 160
   */
  maxDescriptionChars?: number | undefined;
  /**
   * Characters of a parameter's description.
   * @default 100
   */
  maxParameterChars?: number | undefined;
  /**
   * Move subschemas that occur twice to `$defs`, where that saves characters.
   * @default true
   */
  dedupeSchemas?: boolean | undefined;
  /**
   * Keep `$schema`, which clients need for unusual drafts only.
   * @default false
   */
  keepDialect?: boolean | undefined;
  /** A JSON object of descriptions by {@link descriptionKey}; for `llm`. */
  cachePath?: string | undefined;
  /** Gives the JSON Schema of a schema object that is none of JSON Schema, zod, Standard Schema or the AI SDK's. */
  schemaAdapter?: SchemaAdapter | undefined;
}
/**
 * The same tools with shorter descriptions and smaller schemas, for clients that want the real ones. The schemas allow what they allowed,
 * and the same map gives the same bytes every time, which prompt caches reward. The given map and its tools stay as they are.
 *
 * Throws `INVALID_OPTION`, `INVALID_TOOLS` or `NATIVE_MISSING`.
 *
 * @example
 * ```ts
 * const tools = shrinkDefinitions(await client.tools(), { maxDescriptionChars: 120 });
 * ```
 */
declare function shrinkDefinitions<Tools extends object>(tools: Tools, options?: ShrinkDefinitionsOptions): Tools;
/** The key of a tool's description in the file of {@link ShrinkDefinitionsOptions.cachePath}. */
declare function descriptionKey(description: string): string;
/** Options of {@link fit} and {@link fitSync}. */
interface FitOptions {
  /** The limit on the text. */
  budget: Budget;
  /** The name of the tool that gave the value. */
  toolName?: string | undefined;
  /** The call's arguments: what was asked for is worth keeping. */
  arguments?: unknown;
  /** Extra words that say what the reader is after. */
  relevance?: string | undefined;
  /** What must survive: JSON Pointers with `*` (one segment) and `**` (any number), or bare key names. */
  protect?: readonly string[] | undefined;
  /** What never matters, in the same form. */
  drop?: readonly string[] | undefined;
  /**
   * Spaces a level of indentation takes, 0 to 16.
   * @default 0
   */
  indent?: number | undefined;
  /**
   * How JSON is laid out; `lines`: one record a line.
   * @default 'compact'
   */
  layout?: 'compact' | 'lines' | undefined;
}
/** A fitted text and what was cut from it. */
interface FitResult {
  /** The text, within the budget; the text of the value itself where that fits. */
  text: string;
  /** What was cut. */
  report: Report;
}
/**
 * Fits a value into a budget, on a worker: the engine alone, with no store and no notice. A string is JSON if it parses as JSON, else text;
 * bytes are UTF-8; any other value is written as JSON first.
 *
 * Rejects with `INVALID_OPTION`, `INVALID_INPUT` (a value without a JSON form), `BUDGET_TOO_SMALL`, `ABORTED` or `NATIVE_MISSING`.
 *
 * @example
 * ```ts
 * const { text, report } = await fit(await response.text(), { budget: { chars: 6000 }, toolName: 'fetch' });
 * ```
 */
declare function fit(value: unknown, options: FitOptions & {
  signal?: AbortSignalLike | undefined;
}): Promise<FitResult>;
/** As {@link fit}, at once and on this thread: for small values and scripts. Throws what `fit` rejects with. */
declare function fitSync(value: unknown, options: FitOptions): FitResult;
/** A command as `just-bash` takes it, in `customCommands` or by `registerCommand`. */
interface JustBashCommand {
  name: string;
  trusted: boolean;
  execute: (args: string[], context: JustBashContext) => Promise<JustBashResult>;
}
/** What a command sees of its shell. */
interface JustBashContext {
  /** Bytes, one to a character. */
  stdin?: unknown;
  signal?: AbortSignal | undefined;
}
/** What a command gives back to its shell. */
interface JustBashResult {
  stdout: string;
  stderr: string;
  exitCode: number;
  stdoutKind: 'text';
}
/** A shell of `just-bash`, as far as it concerns us. */
interface JustBash {
  registerCommand: (command: never) => void;
}
/** What {@link planToolsForJustBash} gives. */
interface JustBashPlan {
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
declare function planToolsForJustBash(tools: object, options: CommandOptions): JustBashPlan;
/**
 * As {@link planToolsForJustBash}, and installs the command in a shell that exists. After `close()` the command is still there, since
 * just-bash has no way to take one away, but fails and says why.
 *
 * @example
 * ```ts
 * const { tools, close } = transformToolsForJustBash(map, { bash: new Bash(), serverName: 'inventory', shrinkfit: 6000 });
 * ```
 */
declare function transformToolsForJustBash(tools: object, options: CommandOptions & {
  bash: JustBash;
}): JustBashPlan;
/** Options of {@link page}, {@link trim} and {@link paginate}. */
interface PageOptions {
  /**
   * The limit on a page. With `count` a number of whatever it counts.
   * @default `SNUGFIT_MAX_TOKENS` from the environment, else 20,000 tokens, by a high estimate: bytes / 3
   */
  budget?: Budget | undefined;
  /** Counts a text in a unit of your own; called a few times a page. Pages are then exact in that unit. */
  count?: ((text: string) => number) | undefined;
  /** The `next_cursor` of the page before; empty or left out for the first page. */
  cursor?: string | undefined;
  /** The array to page, as `data.items` or a JSON Pointer; by default the largest one that object keys lead to. */
  key?: string | undefined;
  /**
   * Spaces a level of indentation takes.
   * @default 0
   */
  indent?: number | undefined;
  /**
   * The parameter that a page's note names for the cursor.
   * @default 'cursor'
   */
  cursorParam?: string | undefined;
}
/**
 * One page of a value: whole items of its array, or a chunk of its text, with a note that says how to get the next one. A value that fits is
 * returned as it is. The cursor holds all that is needed, so that another process goes on where this one ended.
 *
 * Throws `INVALID_CURSOR` for a cursor that no page gave, `BUDGET_TOO_SMALL`, `INVALID_OPTION` or `INVALID_INPUT`.
 *
 * @example
 * ```ts
 * const first = page(runs, { budget: 6000 });
 * const second = page(runs, { budget: 6000, cursor: JSON.parse(first).page.next_cursor });
 * ```
 */
declare function page(value: unknown, options?: PageOptions): string;
/** The first part of a value, with a note that says how much was left out, and no cursor. Throws what {@link page} throws. */
declare function trim(value: unknown, options?: PageOptions): string;
/** Options of {@link paginate} and {@link paginateTool}. */
type PaginateOptions = Omit<PageOptions, 'cursor'>;
/** The MCP result of a page. */
interface PageResult {
  [key: string]: unknown;
  content: {
    type: 'text';
    text: string;
  }[];
  isError?: boolean;
}
/** A handler of an MCP tool, or of anything like it. */
type Handler = (...args: never[]) => unknown;
/** A handler whose arguments may have the cursor besides their own. */
type Paginated<F extends Handler> = (...args: Parameters<F>) => Promise<PageResult>;
/**
 * Wraps the handler of an MCP tool, `(args, extra) => value`, so that a large result goes out in pages: the parameter `cursor` of `args` is
 * kept from the handler, which runs again for every page, so results need a stable order. The handler may return any value, or a ready
 * `CallToolResult`: its first text block is paged, other blocks stay on the first page. A cursor that no page gave becomes a result with
 * `isError`.
 *
 * @example
 * ```ts
 * const handler = paginate(async ({ state }) => api.runs(state), { budget: { bytes: 60_000 } });
 * ```
 */
declare function paginate<F extends Handler>(handler: F, options?: PaginateOptions): Paginated<F>;
/** What {@link paginateTool} needs of a tool's configuration. */
interface ToolConfig {
  description?: string | undefined;
  inputSchema?: unknown;
  outputSchema?: unknown;
}
/** A configuration with the cursor in its input schema, and without an output schema, which a page cannot match. */
type PaginatedConfig<Config extends ToolConfig> = Omit<Config, 'outputSchema' | 'description'> & {
  description: string;
};
/**
 * As {@link paginate}, for the arguments of `server.registerTool` of the MCP TypeScript SDK, version 1 or 2: extends the input schema by the
 * optional `cursor` and the description by a sentence about it, and takes the output schema away.
 *
 * Throws `INVALID_OPTION` where the tool has such a parameter already, `PEER_MISSING` where its schema needs zod and there is none.
 *
 * @example
 * ```ts
 * server.registerTool('runs', ...paginateTool({ description: 'Lists runs', inputSchema: { state: z.string() } }, listRuns));
 * ```
 */
declare function paginateTool<Config extends ToolConfig, F extends Handler>(config: Config, handler: F, options?: PaginateOptions): [config: PaginatedConfig<Config>, handler: Paginated<F>];
/** JSON text in a value's place: its numbers, keys and escapes come out as they are written. */
interface RawJson {
  json: string;
}
/** A rendering of a value. */
interface Rendered {
  text: string;
  /** It is within the budget. */
  fits: boolean;
  /** `indented` by two spaces a level, or `compact`. */
  form: 'indented' | 'compact';
}
/** A limit for renderings; a number that is 0 or less is none. */
type RenderBudget = Budget;
/**
 * A value as JSON, indented by two spaces a level. A string is a string value; `{ json }` hands over JSON text.
 *
 * Throws `INVALID_INPUT` for what has no JSON form.
 *
 * @example
 * ```ts
 * render({ json: '{"n":1e400}' }); // '{\n  "n": 1e400\n}'
 * ```
 */
declare function render(value: unknown): string;
/** The indented form if it is within the budget, else the compact one. Nothing is ever cut. */
declare function renderWithin(value: unknown, budget: RenderBudget): Rendered;
/** Whether neither form is within the budget: what sets a caller's truncation flags before it fits. */
declare function needsCut(value: unknown, budget: RenderBudget): boolean;
/** The one large text of an envelope. */
interface BodyField {
  /** The text as it is in the value now. */
  body: string;
  /** Puts another text in its place: in the value, or in a new value that it returns. */
  setBody: (body: string) => unknown;
}
/**
 * Renders an envelope whose one large text may be shortened. Where even the compact form is over the budget, the text becomes the longest
 * prefix with which it is not, cut between grapheme clusters. An envelope that alone is over the budget gets an empty text and `fits: false`.
 *
 * @example
 * ```ts
 * const result = { status: 200, truncated: needsCut(response, 20_000), body };
 * const { text } = fitBody(result, 20_000, { body, setBody: (shorter) => { result.body = shorter; } });
 * ```
 */
declare function fitBody(value: unknown, budget: RenderBudget, {
  body,
  setBody
}: BodyField): Rendered;
/** A response's body as text: a string is itself, another value its compact JSON; what is nothing, or has no JSON form, is empty. */
declare function bodyText(value: unknown): string;
/** The characters that a list of these values has when it is rendered; `Infinity` where one has no JSON form, so that a merge refuses it. */
declare function itemsSize(items: readonly unknown[]): number;
/**
 * What a merge keeps free of a limit for the envelope around its collection: 4,096, at most a quarter of the limit. Accept a page only while
 * `itemsSize(items) <= limit - reserve(limit)`: cutting afterwards would leave a resume signal that points past what the caller got.
 */
declare function reserve(limit: number): number;
/** Wrapped tools, and the end of their store. */
interface ShrinkfitTools<Tools> {
  /** A new map: tools whose results are fitted, and the recovery tool. */
  tools: Tools;
  /** Forgets every original at once; recoveries and fits that come later fail with `CLOSED`. Twice is fine. */
  close: () => void;
  /** As {@link close}, for `using`. */
  [Symbol.dispose]: () => void;
  /** As {@link close}, for `await using`. */
  [Symbol.asyncDispose]: () => Promise<void>;
}
/**
 * Wraps the tools of a map so that every result comes back within a budget, and adds a tool that recovers the originals. The given map and
 * its tools stay as they are.
 *
 * Throws `INVALID_OPTION`, `INVALID_TOOLS`, `ALREADY_WRAPPED` or `NATIVE_MISSING`. A wrapped `execute` fails with `BUDGET_TOO_SMALL`,
 * `ORIGINAL_TOO_LARGE`, `CLOSED` or `ABORTED` where no preview can be made; the tool has run by then.
 *
 * @example
 * ```ts
 * const { tools, close } = shrinkfitTools({ search }, { shrinkfit: 6000 });
 * await generateText({ model, tools, prompt });
 * close();
 * ```
 */
declare function shrinkfitTools<Tools extends object>(tools: Tools, options: ShrinkfitOptions & {
  shrinkfit: Budget;
  store?: StoreLimits | OriginalStore | undefined;
}): ShrinkfitTools<WithRecovery<Tools>>;
declare function shrinkfitTools<Tools extends object>(tools: Tools, options?: ShrinkfitOptions): ShrinkfitTools<Tools & Partial<WithRecovery<object>>>;
export { type AbortSignalLike, type BodyField, type BridgeLimits, type BridgeOptions, type Budget, type BudgetLimits, type Checked, type CliMode, type CliModeOptions, type CodeHelpInput, type CodeHelpTool, type CodeLanguage, type CodeMode, type CodeModeOptions, type CommandOptions, type CompressOptions, type CompressedTools, type CompressionLevel, type ErrorCode, type ErrorDetails, type ExecutableToolBridge, type FitEvent, type FitOptions, type FitResult, type Handler, type HelpInput, type HelpTool, type InvokeInput, type Issue, type JustBash, type JustBashCommand, type JustBashContext, type JustBashPlan, type JustBashResult, type Mode, type Omission, type OriginalStore, type PageOptions, type PageResult, type PaginateOptions, type Paginated, type PaginatedConfig, RECOVERY_TOOL, type RawJson, type RecoverInput, type RecoverySchema, type RecoveryTool, type RenderBudget, type Rendered, type Report, type SchemaAdapter, type ShrinkDefinitionsOptions, type ShrinkfitOptions, type ShrinkfitTools, SnugfitError, type StoreLimits, type ToolCall, type ToolConfig, type ToolRules, type ToolSchema, type TurnBudget, type TurnBudgetOptions, type WithRecovery, type WrapperTool, type WrittenClient, bodyText, compressTools, createExecutableToolBridge, createTurnBudget, descriptionKey, fit, fitBody, fitSync, itemsSize, needsCut, page, paginate, paginateTool, planToolsForJustBash, render, renderWithin, reserve, resolveSchemas, shrinkDefinitions, shrinkfitTools, transformToolsForCliMode, transformToolsForCodeMode, transformToolsForJustBash, trim };