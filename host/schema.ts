import { type Checked, type Issue, type ToolSchema, toolSchema } from './standard-schema.ts';

/** What the recovery tool takes. */
export interface RecoverInput {
  /** The id that a preview's notice gives. */
  response_id: string;
}

/** The recovery tool's input as JSON Schema; the same in every draft. */
const RECOVER_JSON_SCHEMA = {
  type: 'object',
  properties: { response_id: { type: 'string', description: 'The response_id of the truncation notice.' } },
  required: ['response_id'],
  additionalProperties: false,
} as const;

/** Checks the recovery tool's input. The messages are for a model to act on. */
export function checkRecoverInput(input: unknown): Checked<RecoverInput> {
  if (typeof input !== 'object' || input === null) return issue('the input must be an object such as {"response_id":"…"}');
  const { response_id: id, ...rest } = input as Record<string, unknown>;
  const [extra] = Object.keys(rest);
  if (extra !== undefined)
    return issue(`${JSON.stringify(extra)} is no argument; only response_id is, and it gives the complete original`, extra);
  if (typeof id !== 'string' || id === '')
    return issue('response_id must be the id that the truncation notice of a preview gives, a string', 'response_id');
  return { value: { response_id: id } };
}

function issue(message: string, key?: string): { issues: Issue[] } {
  return { issues: [{ message, ...(key !== undefined && { path: [key] }) }] };
}

/** The recovery tool's schema, in the dialect of every host. */
export const recoverSchema: ToolSchema<RecoverInput> = toolSchema(RECOVER_JSON_SCHEMA, checkRecoverInput);
