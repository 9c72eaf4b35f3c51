import type { NativeSelector } from './binding.ts';
import { type Checked, type Issue, type ToolSchema, toolSchema } from './standard-schema.ts';

/** What the recovery tool takes: an id, and at most one of `path`, `search`, `lines`, `cursor` for a part of the original. */
export interface RecoverInput {
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

/** An input that was checked; without `selector` the complete original is asked for. */
export interface RecoverRequest {
  responseId: string;
  selector?: NativeSelector;
}

/** The recovery tool's input as JSON Schema; the same in every draft. Short, since models pay for it in every request. */
const RECOVER_JSON_SCHEMA = {
  type: 'object',
  properties: {
    response_id: { type: 'string', description: 'From the notice' },
    path: { type: 'string', description: 'JSON Pointer such as /issues/7/body, or JSONPath' },
    search: { type: 'string', description: 'Literal or /regex/i' },
    context: { type: 'integer', description: 'Lines around matches' },
    lines: { type: 'string', description: '120-180, or -50 for the last' },
    cursor: { type: 'string', description: 'next_cursor of the last answer' },
  },
  required: ['response_id'],
  additionalProperties: false,
} as const;

const SELECTORS = ['path', 'search', 'lines', 'cursor'] as const;
const KNOWN = Object.keys(RECOVER_JSON_SCHEMA.properties);

/** Checks the recovery tool's input. The messages are for a model to act on. */
export function checkRecoverInput(input: unknown): Checked<RecoverInput> {
  if (typeof input !== 'object' || input === null) return issue('the input must be an object such as {"response_id":"…"}');
  const given = input as Record<string, unknown>;
  const extra = Object.keys(given).find((key) => !KNOWN.includes(key));
  if (extra !== undefined) return issue(`${JSON.stringify(extra)} is no argument; there are ${KNOWN.join(', ')}`, extra);
  if (typeof given.response_id !== 'string' || given.response_id === '')
    return issue('response_id must be the id that the truncation notice of a preview gives, a string', 'response_id');
  for (const name of SELECTORS) {
    if (given[name] != null && typeof given[name] !== 'string') return issue(`${name} must be a string`, name);
  }
  if (given.context != null && typeof given.context !== 'number') return issue('context must be a number of lines', 'context');
  const named = SELECTORS.filter((name) => given[name] != null && given[name] !== '');
  if (named.length > 1) return issue(`name one of ${SELECTORS.join(', ')}, not ${named.join(' and ')}`, named[1]);
  return { value: input as RecoverInput };
}

/** What a checked input asks for. Models fill in arguments that they do not mean with empty texts. */
export function requestOf({ response_id: responseId, context, ...given }: RecoverInput): RecoverRequest {
  const named = SELECTORS.find((name) => given[name]) ?? (given.path === '' ? 'path' : undefined);
  if (named === undefined) return { responseId };
  return { responseId, selector: { [named]: given[named] ?? '', ...(named === 'search' && context != null && { context }) } };
}

function issue(message: string, key?: string): { issues: Issue[] } {
  return { issues: [{ message, ...(key !== undefined && { path: [key] }) }] };
}

/** The recovery tool's schema, in the dialect of every host. */
export const recoverSchema: ToolSchema<RecoverInput> = toolSchema(RECOVER_JSON_SCHEMA, checkRecoverInput);
