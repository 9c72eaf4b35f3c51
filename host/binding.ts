/** The addon's side of the border, as `crates/node` exports it. Failures come back as data; `outcome.ts` throws them. */

export interface NativeBudget {
  chars?: number;
  bytes?: number;
  lines?: number;
  tokens?: number;
  encoding?: string;
}

export interface NativeOptions {
  budget: NativeBudget;
  toolName?: string;
  /** JSON text. */
  arguments?: string;
  relevance?: string;
  protect?: string[];
  drop?: string[];
  notice?: 'inline' | 'envelope' | 'none';
  /** The name that notices give for the way back. */
  recoveryTool?: string;
  /** How notices write its call; with `invoke` it is called by the tool `recoveryBy`. */
  recoveryCall?: 'tool' | 'invoke' | 'command' | 'typescript' | 'python';
  recoveryBy?: string;
  indent?: number;
  layout?: 'compact' | 'lines';
  /** The texts of an envelope are fitted as one, line after line. */
  joined?: boolean;
  /** In a session: pages, or the first part, in place of a condensed preview. */
  mode?: 'condense' | 'page' | 'trim';
}

export interface NativeReport {
  inputChars: number;
  outputChars: number;
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
  omitted: { path?: string; lines?: string; items?: number; chars?: number }[];
}

export interface NativeFailure {
  code: string;
  message: string;
  needed?: number;
}

export interface FitOutcome {
  error?: NativeFailure;
  /** Absent: the input fits and is unchanged. */
  text?: string;
  report?: NativeReport;
  responseId?: string;
}

export interface BlocksOutcome {
  error?: NativeFailure;
  /** With `joined`: the text for all. Absent: it fits. */
  joined?: string;
  /** One for each block; `null`: unchanged. */
  texts?: (string | null)[];
  /** The JSON text of the structured content, where it was shortened. */
  structured?: string;
  /** The structured content repeats a text that was shortened: a preview does without it. */
  structuredRepeats?: boolean;
  /** The text of one more last block. */
  noticeBlock?: string;
  /** JSON text of `_meta.truncation`. */
  meta?: string;
  report?: NativeReport;
  responseId?: string;
}

export interface RecoverOutcome {
  error?: NativeFailure;
  text?: string;
}

/** Which part of an original is wanted: one of `path`, `search` (with `context`), `lines`, `cursor`. */
export interface NativeSelector {
  path?: string;
  search?: string;
  context?: number;
  lines?: string;
  cursor?: string;
}

export interface NativePageOptions {
  cursor?: string;
  key?: string;
  indent?: number;
  cursorParam?: string;
  /** The first part, and no cursor. */
  trim?: boolean;
}

export interface PageOutcome {
  error?: NativeFailure;
  text?: string;
  nextCursor?: string;
  /** The value was within the budget. */
  whole?: boolean;
}

export interface RenderOutcome {
  error?: NativeFailure;
  text?: string;
  fits?: boolean;
  form?: 'indented' | 'compact';
}

export interface NativeLimits {
  entries?: number;
  bytes?: number;
  ttlMs?: number;
}

export interface NativeCancel {
  cancel(): void;
}

/** How ids are made where the caller keeps the originals. */
export interface NativeIds {
  secret?: string | undefined;
  namespace?: string | undefined;
}

/** A large string that crosses a piece at a time. */
export interface NativeIntake {
  push(piece: string): void;
}

/** A text: as a string, as UTF-8, or as a string that came in pieces. */
export type NativeInput = string | Uint8Array | NativeIntake;

export interface NativeSession {
  fit(input: NativeInput, options: NativeOptions, cancel?: NativeCancel): Promise<FitOutcome>;
  fitSync(input: NativeInput, options: NativeOptions): FitOutcome;
  /** `around`: the JSON of the whole envelope, cut where the texts stand. */
  fitBlocks(
    texts: NativeInput[],
    around: NativeInput[],
    structured: NativeInput | null,
    options: NativeOptions,
    cancel?: NativeCancel,
  ): Promise<BlocksOutcome>;
  fitBlocksSync(texts: NativeInput[], around: NativeInput[], structured: NativeInput | null, options: NativeOptions): BlocksOutcome;
  recover(responseId: string): Promise<RecoverOutcome>;
  /** A part of an original. */
  read(responseId: string, selector: NativeSelector, budget: NativeBudget): Promise<RecoverOutcome>;
  stats(): { entries: number; bytes: number };
  sweep(): void;
  close(): void;
}

/** Results share an allowance; calls are numbered by `join`, and shares are in the unit of the allowance. */
export interface NativeTurn {
  join(): number;
  /** Without texts: more than is worth counting. */
  claim(call: number, texts: NativeInput[] | null, budget: NativeBudget): NativeShare[];
  leave(call: number): NativeShare[];
  now(call: number): number | null;
}

export interface NativeShare {
  call: number;
  share: number;
}

/** A tool's definition; schemas and annotations are JSON texts. */
export interface NativeTool {
  name: string;
  description: string;
  inputSchema: string;
  outputSchema?: string;
  annotations?: string;
}

export interface NativeWrapperNames {
  getToolSchema: string;
  invokeTool: string;
  listTools: string;
}

export interface WrappersOutcome {
  error?: NativeFailure;
  /** `get_tool_schema`, `invoke_tool` and, at the level `max`, `list_tools`, in this order. */
  wrappers?: { name: string; description: string; inputSchema: string }[];
  /** The wrappers take more characters than the definitions that they stand for. */
  larger?: boolean;
}

export interface TextOutcome {
  error?: NativeFailure;
  text?: string;
}

export interface NativeSurface {
  wrappers(level: string, names: NativeWrapperNames): WrappersOutcome;
  names(): string;
  describe(name: string): TextOutcome;
  /** The input for a tool from what a model sent; both are JSON texts. */
  prepare(name: string, sent: string): TextOutcome;
}

/** `error`, or one of `help` and `usage`, or `tool` with `input` (JSON text). */
export interface ParsedOutcome {
  error?: NativeFailure;
  help?: string;
  usage?: string;
  tool?: string;
  input?: string;
}

export interface NativeCommand {
  /** Fit for a shell. */
  name(): string;
  /** The command and the subcommand of a tool. */
  callOf(tool: string): string | null;
  parse(args: string[], stdin?: string): ParsedOutcome;
  /** The subcommands, as a model reads them in the description of the help tool. */
  overview(): string;
}

/** A module whose functions are tools. */
export interface NativeCode {
  /** The module's name, without an ending. */
  module(): string;
  /** The functions, as a model reads them in the description of the help tool; `place` is where the module is imported from. */
  overview(place: string): string;
  /** A function's types, documentation and signature. */
  help(name: string): TextOutcome;
  /** The function of a tool. */
  callOf(tool: string): string | null;
  files(url: string, token: string): NativeFile[];
}

export interface NativeFile {
  /** Relative to the folder of the client. */
  path: string;
  content: string;
  mode: number;
}

export interface NativeShrinkOptions {
  maxDescriptionChars: number;
  maxParameterChars: number;
  dedupeSchemas: boolean;
  keepDialect: boolean;
  /** Descriptions that somebody wrote, by `descriptionKey`. */
  written?: Record<string, string>;
}

export interface ShrunkOutcome {
  error?: NativeFailure;
  description?: string;
  /** JSON text. */
  inputSchema?: string;
  /** Nobody had written a description, so the rules made one. */
  missed?: boolean;
}

export interface NativeBinding {
  fit(input: NativeInput, options: NativeOptions, cancel?: NativeCancel): Promise<FitOutcome>;
  fitSync(input: NativeInput, options: NativeOptions): FitOutcome;
  /** A part of an original that the caller keeps. */
  read(original: NativeInput, selector: NativeSelector, budget: NativeBudget): Promise<RecoverOutcome>;
  page(value: NativeInput, budget: NativeBudget, options: NativePageOptions): Promise<PageOutcome>;
  pageSync(value: NativeInput, budget: NativeBudget, options: NativePageOptions): PageOutcome;
  /** Throws what `count` throws. */
  pageCounted(value: NativeInput, limit: number, count: (text: string) => number, options: NativePageOptions): PageOutcome;
  /** Without a budget nothing is over it. */
  render(json: string, budget?: NativeBudget): RenderOutcome;
  /** UTF-16 units of `body` that fit into a JSON text beside `around`, which has an empty string in its place. */
  bodyPrefix(body: string, budget: NativeBudget, around: string): number;
  itemsSize(items: string[]): number;
  Session: new (limits: NativeLimits | null, ids?: NativeIds) => NativeSession;
  Intake: new (length: number) => NativeIntake;
  Cancel: new () => NativeCancel;
  Turn: new (total: number, tokens: boolean, calls: number) => NativeTurn;
  Surface: new (tools: NativeTool[]) => NativeSurface;
  Command: new (name: string, tools: NativeTool[]) => NativeCommand;
  Code: new (name: string, tools: NativeTool[], language: string) => NativeCode;
  /** A name that model APIs take for a tool; may be empty. */
  toolName(name: string): string;
  shrinkDefinition(tool: NativeTool, options: NativeShrinkOptions): ShrunkOutcome;
  descriptionKey(description: string): string;
  /** Without `text`: it would not be shorter. */
  toonify(json: string, csv: boolean): TextOutcome;
  shellClient(name: string, url: string, token: string, windows: boolean): NativeFile[];
  /** Whether budgets may name the encoding: it needs no vocabulary, or has been given one. */
  hasEncoding(name: string): boolean;
  addVocabulary(name: string, packed: Uint8Array): void;
  version(): string;
}
