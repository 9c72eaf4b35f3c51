/**
 * What the addon exports. Failures are data (`error`); only arguments of the wrong type, and a session's limits, throw.
 * Written by hand after `src/`: napi's generator knows neither literal types nor which fields exclude each other.
 */

/** The limits of one text; at least one, all that are named hold. */
export interface NativeBudget {
  /** Unicode scalar values. */
  chars?: number;
  /** UTF-8 bytes. */
  bytes?: number;
  lines?: number;
}

/** How a result is to be fitted. */
export interface NativeOptions {
  budget: NativeBudget;
  /** The tool that gave the result. */
  toolName?: string;
  /** The call's arguments as JSON text. */
  arguments?: string;
  /** More words that say what the caller is after. */
  relevance?: string;
  /** What must survive: JSON Pointers with `*` and `**`, or bare key names. */
  protect?: string[];
  /** What never matters, in the same form. */
  drop?: string[];
  /** Default: `inline` in a session, `none` outside one. */
  notice?: 'inline' | 'envelope' | 'none';
  /** The name that notices give for the way back; default `compressor_recover_response`. */
  recoveryTool?: string;
  /** How notices write its call; with `invoke` it is called by the tool `recoveryBy`. Default: `tool`. */
  recoveryCall?: 'tool' | 'invoke' | 'command' | 'typescript' | 'python';
  recoveryBy?: string;
  /** Spaces a level of indentation takes, 0 to 16. */
  indent?: number;
  layout?: 'compact' | 'lines';
  /** The texts of an envelope are fitted as one, line after line. */
  joined?: boolean;
  /** In a session: pages, or the first part, in place of a condensed preview; default `condense`. */
  mode?: 'condense' | 'page' | 'trim';
}

/** What a fit did. */
export interface NativeReport {
  inputChars: number;
  /** The notice included. */
  outputChars: number;
  /** The limit in characters, or the first one named. */
  budget: number;
  kind: string;
  complete: boolean;
  fits: boolean;
  pruned: boolean;
  itemsOmitted: number;
  keysOmitted: number;
  stringsTruncated: number;
  linesOmitted: number;
  replaced: number;
  levers: string[];
  /** The largest cuts, largest first; `lines` is `12-40`, or `12` for one line. */
  omitted: { path?: string; lines?: string; items?: number; chars?: number }[];
}

/** What went wrong. */
export interface NativeFailure {
  code: string;
  message: string;
  /** With `BUDGET_TOO_SMALL`: the least limit that would do. */
  needed?: number;
}

/** `error`, or the rest. */
export interface FitOutcome {
  error?: NativeFailure;
  /** Absent: the input fits and is unchanged. */
  text?: string;
  report?: NativeReport;
  /** Absent: nothing was cut, or nothing is kept. */
  responseId?: string;
}

/** `error`, or the rest. */
export interface BlocksOutcome {
  error?: NativeFailure;
  /** With `joined`: the text for all of them. Absent: it fits. */
  joined?: string;
  /** One for each block; `null`: unchanged. */
  texts?: (string | null)[];
  /** The JSON text of the structured content, where it was shortened. */
  structured?: string;
  /** The structured content repeats a text that was shortened: a preview does without it. */
  structuredRepeats?: boolean;
  /** The text of one more last block. */
  noticeBlock?: string;
  /** `_meta.truncation` as JSON text. */
  meta?: string;
  report?: NativeReport;
  responseId?: string;
}

/** `error` or `text`. */
export interface RecoverOutcome {
  error?: NativeFailure;
  text?: string;
}

/** Which part of an original is wanted: exactly one of `path`, `search`, `lines`, `cursor`. */
export interface NativeSelector {
  /** A JSON Pointer, a pattern of one (`/issues/*\/body`, `/issues/12..213`), or a JSONPath. */
  path?: string;
  /** A literal or `/regex/flags`. */
  search?: string;
  /** With `search`: lines around each match of a text, 0 to 100; default 2. */
  context?: number;
  /** `120-180`, `120`, or `-50` for the last 50. */
  lines?: string;
  /** Where an earlier read goes on. */
  cursor?: string;
}

/** What is asked of a page besides its budget. */
export interface NativePageOptions {
  /** The cursor of the page before. */
  cursor?: string;
  /** The array to page: `data.items` or a JSON Pointer. */
  key?: string;
  /** Spaces a level of indentation takes, 0 to 16. */
  indent?: number;
  /** The parameter that notes name for the cursor; default `cursor`. */
  cursorParam?: string;
  /** The first part with a note, and no cursor. */
  trim?: boolean;
}

/** `error`, or the rest. */
export interface PageOutcome {
  error?: NativeFailure;
  text?: string;
  /** Absent on the last page. */
  nextCursor?: string;
  /** The value was within the budget. */
  whole?: boolean;
}

/** `error`, or the rest. */
export interface RenderOutcome {
  error?: NativeFailure;
  text?: string;
  fits?: boolean;
  form?: 'indented' | 'compact';
}

/** The limits of a store; defaults 128 entries, 64 MiB, 5 minutes. */
export interface NativeLimits {
  entries?: number;
  bytes?: number;
  ttlMs?: number;
}

/** How ids are made where the caller keeps the originals. */
export interface NativeIds {
  /** Makes ids that are the same in every process that has it; default: the session's own. */
  secret?: string;
  namespace?: string;
}

/** A text: as a string, as UTF-8, or as a string that came in pieces. */
export type Input = string | Uint8Array | Intake;

/** A large string that crosses a piece at a time. Give it in place of the string, once. */
export class Intake {
  /** `length`: how many UTF-16 code units to make room for. */
  constructor(length: number);
  push(piece: string): void;
}

/** Fits a text on a worker, without a session: nothing is kept. */
export function fit(input: Input, options: NativeOptions, cancel?: Cancel): Promise<FitOutcome>;

/** Fits a text at once, on the event loop. */
export function fitSync(input: Input, options: NativeOptions): FitOutcome;

/** A part of an original that the caller keeps, within `budget`. */
export function read(original: string | Uint8Array, selector: NativeSelector, budget: NativeBudget): Promise<RecoverOutcome>;

/** One page of a value (JSON text or any other), on a worker. */
export function page(value: string | Uint8Array, budget: NativeBudget, options: NativePageOptions): Promise<PageOutcome>;

/** One page, at once. */
export function pageSync(value: string | Uint8Array, budget: NativeBudget, options: NativePageOptions): PageOutcome;

/** One page, at once, of at most `limit` of what `count` says of a text. Throws what `count` throws. */
export function pageCounted(
  value: string | Uint8Array,
  limit: number,
  count: (text: string) => number,
  options: NativePageOptions,
): PageOutcome;

/** JSON text indented if that is within the budget, else compact; without a budget indented. */
export function render(json: string | Uint8Array, budget?: NativeBudget): RenderOutcome;

/** UTF-16 units of `body` that fit into a JSON text beside `around`, which holds an empty string in its place. */
export function bodyPrefix(body: string | Uint8Array, budget: NativeBudget, around: string | Uint8Array): number;

/** Characters of a list of JSON texts when it is rendered; `Infinity` where one is not JSON. */
export function itemsSize(items: (string | Uint8Array)[]): number;

/** The previews of one toolset and the way back from each. */
export class Session {
  /** `limits` null: nothing is kept, or by the caller, under the ids made by `ids`. Throws an error with code `INVALID_OPTION`. */
  constructor(limits: NativeLimits | null, ids?: NativeIds | null);
  fit(input: Input, options: NativeOptions, cancel?: Cancel | null): Promise<FitOutcome>;
  /** As `fit`, at once and on the event loop. */
  fitSync(input: Input, options: NativeOptions): FitOutcome;
  /**
   * Fits an envelope's text blocks, which share the budget. `around` is the whole envelope's JSON without those texts: one part more than
   * texts. `structured` is the JSON of structured content that counts as they do.
   */
  fitBlocks(
    texts: Input[],
    around: Input[],
    structured: Input | null,
    options: NativeOptions,
    cancel?: Cancel | null,
  ): Promise<BlocksOutcome>;
  /** As `fitBlocks`, at once and on the event loop. */
  fitBlocksSync(texts: Input[], around: Input[], structured: Input | null, options: NativeOptions): BlocksOutcome;
  recover(responseId: string): Promise<RecoverOutcome>;
  /** A part of an original, within `budget`. */
  read(responseId: string, selector: NativeSelector, budget: NativeBudget): Promise<RecoverOutcome>;
  stats(): { entries: number; bytes: number };
  /** Frees what has expired; for a timer. */
  sweep(): void;
  /** Forgets everything; whatever finishes later fails with `CLOSED`. */
  close(): void;
}

/** What a result may take, in the unit of the allowance. */
export interface NativeShare {
  call: number;
  share: number;
}

/** The calls whose results share an allowance of `total` characters or tokens; `calls` have been announced. */
export class Turn {
  constructor(total: number, tokens: boolean, calls: number);
  join(): number;
  /** The shares that are certain now. Without texts: more than is worth counting. */
  claim(call: number, texts: Array<string | Uint8Array | Intake> | null, budget: NativeBudget): NativeShare[];
  leave(call: number): NativeShare[];
  /** The share of a result that waits no longer; `null` if it has had one. */
  now(call: number): number | null;
}

/** Takes calls that still wait for a worker out of the queue: they end with `ABORTED`. One that runs already is finished. */
export class Cancel {
  constructor();
  cancel(): void;
}

/** A tool's definition; schemas and annotations are JSON texts. */
export interface NativeTool {
  name: string;
  description: string;
  inputSchema: string;
  outputSchema?: string;
  annotations?: string;
}

/** The names that the wrapper tools of a compressed map are to have. */
export interface NativeWrapperNames {
  getToolSchema: string;
  invokeTool: string;
  listTools: string;
}

/** One tool that stands for all. */
export interface NativeWrapper {
  name: string;
  description: string;
  /** JSON text. */
  inputSchema: string;
}

/** `error`, or the rest. */
export interface WrappersOutcome {
  error?: NativeFailure;
  /** `get_tool_schema`, `invoke_tool` and, at the level `max`, `list_tools`, in this order. */
  wrappers?: NativeWrapper[];
  /** The wrappers take more characters than the definitions that they stand for. */
  larger?: boolean;
}

/** `error` or `text`. */
export interface TextOutcome {
  error?: NativeFailure;
  text?: string;
}

/** The tools of one map, as a model is to see them. */
export class Surface {
  /** Throws an error with code `INVALID_TOOLS`. */
  constructor(tools: NativeTool[]);
  wrappers(level: 'low' | 'medium' | 'high' | 'max', names: NativeWrapperNames): WrappersOutcome;
  /** The names of all tools, one a line. */
  names(): string;
  /** A tool's complete definition as JSON text. */
  describe(name: string): TextOutcome;
  /** The input for a tool, from the `tool_input` that a model sent; both are JSON texts. */
  prepare(name: string, sent: string): TextOutcome;
}

/** `error`, or one of `help` and `usage`, or `tool` with `input` (JSON text). */
export interface ParsedOutcome {
  error?: NativeFailure;
  /** A text to print. */
  help?: string;
  /** A mistake in the arguments. */
  usage?: string;
  tool?: string;
  input?: string;
}

/** A command whose subcommands are tools. */
export class Command {
  /** The name is made fit for a shell. Throws an error with code `INVALID_TOOLS`. */
  constructor(name: string, tools: NativeTool[]);
  name(): string;
  /** The command and the subcommand of a tool. */
  callOf(tool: string): string | null;
  /** What arguments, without the command's own name, come to; `stdin` is what `--json -` reads. */
  parse(args: string[], stdin?: string): ParsedOutcome;
  /** The subcommands, as a model reads them in the description of the help tool. */
  overview(): string;
}

/** How definitions are made smaller. */
export interface NativeShrinkOptions {
  maxDescriptionChars: number;
  maxParameterChars: number;
  dedupeSchemas: boolean;
  keepDialect: boolean;
  /** Descriptions that somebody wrote, by `descriptionKey`. */
  written?: Record<string, string>;
}

/** `error`, or the rest. */
export interface ShrunkOutcome {
  error?: NativeFailure;
  description?: string;
  /** JSON text. */
  inputSchema?: string;
  /** Nobody had written a description, so the rules made one. */
  missed?: boolean;
}

/** A tool's definition in fewer words. */
export function shrinkDefinition(tool: NativeTool, options: NativeShrinkOptions): ShrunkOutcome;

/** The key of a description among those that somebody wrote. */
export function descriptionKey(description: string): string;

/** A result's JSON text as TOON, or as CSV where it is a plain table. Without `text`: that is not shorter. */
export function toonify(json: string, csv: boolean): TextOutcome;

/** A file of a generated client. */
export interface NativeFile {
  path: string;
  content: string;
  /** Permissions on Unix. */
  mode: number;
}

/** The files of the command `name` for shells; it calls the bridge at `url`. */
export function shellClient(name: string, url: string, token: string, windows: boolean): NativeFile[];

/** A name that model APIs take for a tool; may be empty. */
export function toolName(name: string): string;

export function version(): string;
