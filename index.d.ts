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
/** What can go wrong, as {@link SnugfitError.code} says it. */
type ErrorCode = /** An option is unknown, malformed or not there yet. */'INVALID_OPTION' /** What was given as tools is no tool map. */ | 'INVALID_TOOLS' /** A value or the input of the recovery tool cannot be used. */ | 'INVALID_INPUT' /** A tool is already wrapped; a preview must not be shortened again. */ | 'ALREADY_WRAPPED' /** The budget cannot hold a preview and its notice; {@link SnugfitError.needed} is the least that would do. */ | 'BUDGET_TOO_SMALL' /** The original alone is larger than the whole store. */ | 'ORIGINAL_TOO_LARGE' /** The id is unknown, has expired or was evicted. */ | 'RESPONSE_UNAVAILABLE' /** The store did not take or give what it should. */ | 'STORE_FAILED' /** The toolset is closed. */ | 'CLOSED' /** The call was aborted; the error's `name` is `AbortError`. */ | 'ABORTED' /** A package that a subpath of snugfit builds on is not installed. */ | 'PEER_MISSING' /** A fault of snugfit itself. */ | 'INTERNAL' /** The native addon is missing or cannot be loaded. */ | 'NATIVE_MISSING';
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
/** As much of an `AbortSignal` as is needed, so that no DOM types are. */
interface AbortSignalLike {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
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
/** Rules for the tools whose names match a pattern. */
interface ToolRules {
  /** Their budget. */
  shrinkfit?: Budget | undefined;
  /** What must survive in their results: JSON Pointers with `*` (one segment) and `**` (any number), or bare key names. */
  protect?: readonly string[] | undefined;
  /** Their results pass as if snugfit were not there. */
  skip?: boolean | undefined;
}
/** Options of {@link shrinkfitTools}. */
interface ShrinkfitOptions {
  /** The budget of every result. Without it results pass as if snugfit were not there. */
  shrinkfit?: Budget | undefined;
  /** Rules for some of the tools, by name; `*` stands for any characters, `?` for one. Where several match, later ones win. */
  perTool?: Record<string, ToolRules> | undefined;
  /**
   * Where the notice of a plain string stands: `inline` (last key, last element, last line), or `envelope` (one JSON document whatever comes;
   * objects as inline).
   * @default 'inline'
   */
  notice?: 'inline' | 'envelope' | undefined;
  /** Limits of the store of originals, or a store of your own; `false`: nothing is kept, and no recovery tool is added. */
  store?: StoreLimits | OriginalStore | false | undefined;
  /** Told about every result that was over the budget, for logs and meters. */
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
/** A call of a tool, as {@link ShrinkfitOptions.relevance} sees it. */
interface ToolCall {
  /** The tool's name in the map. */
  tool: string;
  /** What it was called with. */
  input: unknown;
}
/** What the recovery tool takes. */
interface RecoverInput {
  /** The id that a preview's notice gives. */
  response_id: string;
}
/** The outcome of a check, in the forms of Standard Schema and of the AI SDK. */
type Checked = {
  value: RecoverInput;
  issues?: undefined;
} | {
  issues: readonly {
    message: string;
    path?: PropertyKey[];
  }[];
};
/** The recovery tool's input as JSON Schema; the same in every draft. */
/** Checks the recovery tool's input. The messages are for a model to act on. */
declare function checkRecoverInput(input: unknown): Checked;
/**
 * One schema object that every host takes: [Standard Schema](https://standardschema.dev) with `jsonSchema` for the AI SDK from version 6,
 * Mastra, MCP v2, OpenAI Agents and LangChain; and the fields of the AI SDK's own `Schema` for version 5, which knows only those.
 */
declare const recoverSchema: {
  readonly [x: symbol]: true;
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: "snugfit";
    readonly validate: typeof checkRecoverInput;
    readonly jsonSchema: {
      readonly input: typeof jsonSchema;
      readonly output: typeof jsonSchema;
    };
  };
  readonly jsonSchema: Record<string, unknown>;
  readonly validate: (value: unknown) => {
    success: true;
    value: RecoverInput;
  } | {
    success: false;
    error: Error;
  };
};
/** A copy for every asker, since hosts write into what they get. */
declare function jsonSchema(): Record<string, unknown>;
/** The recovery tool's name, unless a tool of that name is there already. */
declare const RECOVERY_TOOL = "compressor_recover_response";
/** The tool by which a model gets at the original of a preview. */
interface RecoveryTool {
  description: string;
  inputSchema: RecoverySchema;
  /** The complete original: an MCP envelope as JSON, any other value as the text that was fitted. */
  execute: (input: RecoverInput) => Promise<string>;
}
/** The schema of {@link RecoveryTool}: a Standard Schema with JSON Schema, and an AI SDK schema in one. */
type RecoverySchema = typeof recoverSchema;
/** A tool map with the recovery tool beside its own tools. */
type WithRecovery<Tools> = Tools & Record<typeof RECOVERY_TOOL, RecoveryTool>;
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
export { type AbortSignalLike, type Budget, type BudgetLimits, type ErrorCode, type ErrorDetails, type FitEvent, type FitOptions, type FitResult, type Omission, type OriginalStore, RECOVERY_TOOL, type RecoverInput, type RecoverySchema, type RecoveryTool, type Report, type ShrinkfitOptions, type ShrinkfitTools, SnugfitError, type StoreLimits, type ToolCall, type ToolRules, type WithRecovery, fit, fitSync, shrinkfitTools };