/** What can go wrong, as {@link SnugfitError.code} says it. */
export type ErrorCode =
  /** An option is unknown, malformed or not there yet. */
  | 'INVALID_OPTION'
  /** What was given as tools is no tool map. */
  | 'INVALID_TOOLS'
  /** A value or the input of the recovery tool cannot be used. */
  | 'INVALID_INPUT'
  /** No tool has this name. */
  | 'UNKNOWN_TOOL'
  /** A tool is already wrapped; a preview must not be shortened again. */
  | 'ALREADY_WRAPPED'
  /** The budget cannot hold a preview and its notice; {@link SnugfitError.needed} is the least that would do. */
  | 'BUDGET_TOO_SMALL'
  /** The original alone is larger than the whole store. */
  | 'ORIGINAL_TOO_LARGE'
  /** The id is unknown, has expired or was evicted. */
  | 'RESPONSE_UNAVAILABLE'
  /** A path, search or range of lines cannot be read. */
  | 'INVALID_SELECTOR'
  /** A path leads nowhere in the original. */
  | 'PATH_NOT_FOUND'
  /** A cursor is none of ours. */
  | 'INVALID_CURSOR'
  /** The store did not take or give what it should. */
  | 'STORE_FAILED'
  /** A result is not of the type that a program asked for. */
  | 'INVALID_ANSWER'
  /** The toolset is closed. */
  | 'CLOSED'
  /** The call was aborted; the error's `name` is `AbortError`. */
  | 'ABORTED'
  /** A package that this function composes with is not installed. */
  | 'PEER_MISSING'
  /** The bridge of generated clients could not be started. */
  | 'BRIDGE_FAILED'
  /** A server cannot be started or reached, or does not answer as an MCP server does. */
  | 'SERVER_FAILED'
  /** A fault of snugfit itself. */
  | 'INTERNAL'
  /** The native addon is missing or cannot be loaded. */
  | 'NATIVE_MISSING';

const CODES: Record<ErrorCode, true> = {
  INVALID_OPTION: true,
  INVALID_TOOLS: true,
  INVALID_INPUT: true,
  UNKNOWN_TOOL: true,
  ALREADY_WRAPPED: true,
  BUDGET_TOO_SMALL: true,
  ORIGINAL_TOO_LARGE: true,
  RESPONSE_UNAVAILABLE: true,
  INVALID_SELECTOR: true,
  PATH_NOT_FOUND: true,
  INVALID_CURSOR: true,
  STORE_FAILED: true,
  INVALID_ANSWER: true,
  CLOSED: true,
  ABORTED: true,
  PEER_MISSING: true,
  BRIDGE_FAILED: true,
  SERVER_FAILED: true,
  INTERNAL: true,
  NATIVE_MISSING: true,
};

/** Whether a code is one of ours. */
export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(CODES, code);
}

/** Details that a {@link SnugfitError} may carry. */
export interface ErrorDetails {
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
export class SnugfitError extends Error {
  /** The stable name of what went wrong. */
  readonly code: ErrorCode;
  /** With `BUDGET_TOO_SMALL`: the least budget that would do, in the unit that the message names. */
  declare readonly needed?: number;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined);
    this.code = code;
    // Hosts tell an abort from a failure by this name.
    this.name = code === 'ABORTED' ? 'AbortError' : 'SnugfitError';
    if (details.needed !== undefined) this.needed = details.needed;
  }
}

/** The message of whatever was thrown, and of what caused it. */
export function messagesOf(thrown: unknown): string {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  return cause instanceof Error && cause.message !== '' ? `${messageOf(thrown)}: ${cause.message}` : messageOf(thrown);
}

/** The message of whatever was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
