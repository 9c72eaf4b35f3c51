/** The addon's side of the border, as `crates/node` exports it. Failures come back as data; `outcome.ts` throws them. */

export interface NativeBudget {
  chars?: number;
  bytes?: number;
  lines?: number;
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
  indent?: number;
  layout?: 'compact' | 'lines';
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
  stats(): { entries: number; bytes: number };
  sweep(): void;
  close(): void;
}

export interface NativeBinding {
  fit(input: NativeInput, options: NativeOptions, cancel?: NativeCancel): Promise<FitOutcome>;
  fitSync(input: NativeInput, options: NativeOptions): FitOutcome;
  Session: new (limits: NativeLimits | null, ids?: NativeIds) => NativeSession;
  Intake: new (length: number) => NativeIntake;
  Cancel: new () => NativeCancel;
  version(): string;
}
