/** What the recovery tool takes. */
export interface RecoverInput {
  /** The id that a preview's notice gives. */
  response_id: string;
}

/** The outcome of a check, in the forms of Standard Schema and of the AI SDK. */
type Checked = { value: RecoverInput; issues?: undefined } | { issues: readonly { message: string; path?: PropertyKey[] }[] };

/** The recovery tool's input as JSON Schema; the same in every draft. */
export const RECOVER_JSON_SCHEMA = {
  type: 'object',
  properties: { response_id: { type: 'string', description: 'The response_id of the truncation notice.' } },
  required: ['response_id'],
  additionalProperties: false,
} as const;

/** Checks the recovery tool's input. The messages are for a model to act on. */
export function checkRecoverInput(input: unknown): Checked {
  if (typeof input !== 'object' || input === null) return issue('the input must be an object such as {"response_id":"…"}');
  const { response_id: id, ...rest } = input as Record<string, unknown>;
  const [extra] = Object.keys(rest);
  if (extra !== undefined)
    return issue(`${JSON.stringify(extra)} is no argument; only response_id is, and it gives the complete original`, extra);
  if (typeof id !== 'string' || id === '')
    return issue('response_id must be the id that the truncation notice of a preview gives, a string', 'response_id');
  return { value: { response_id: id } };
}

function issue(message: string, key?: string): Checked {
  return { issues: [{ message, ...(key !== undefined && { path: [key] }) }] };
}

/**
 * One schema object that every host takes: [Standard Schema](https://standardschema.dev) with `jsonSchema` for the AI SDK from version 6,
 * Mastra, MCP v2, OpenAI Agents and LangChain; and the fields of the AI SDK's own `Schema` for version 5, which knows only those.
 */
export const recoverSchema = {
  '~standard': {
    version: 1,
    vendor: 'snugfit',
    validate: checkRecoverInput,
    jsonSchema: { input: jsonSchema, output: jsonSchema },
  },
  [Symbol.for('vercel.ai.schema')]: true,
  jsonSchema: jsonSchema(),
  validate(value: unknown): { success: true; value: RecoverInput } | { success: false; error: Error } {
    const checked = checkRecoverInput(value);
    if (checked.issues === undefined) return { success: true, value: checked.value };
    return { success: false, error: new Error(checked.issues.map(({ message }) => message).join('; ')) };
  },
} as const;

/** A copy for every asker, since hosts write into what they get. */
function jsonSchema(): Record<string, unknown> {
  return structuredClone(RECOVER_JSON_SCHEMA);
}
