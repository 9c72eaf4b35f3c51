import { SnugfitError } from '../errors.ts';
import { isObject, isThenable } from '../value.ts';

/** A schema as JSON Schema. */
export type JsonSchema = Record<string, unknown>;

const AI_SCHEMA = Symbol.for('vercel.ai.schema');
/** A tool without a schema takes no input. */
const NO_INPUT: JsonSchema = { type: 'object', properties: {} };

/** Whether a schema is plain JSON Schema: neither a library's object nor a function that gives one. */
export function isJsonSchema(schema: unknown): schema is JsonSchema {
  return isObject(schema) && !('~standard' in schema) && !(AI_SCHEMA in schema) && !('_def' in schema);
}

/**
 * The schema of a tool as JSON Schema, whichever library it is of: JSON Schema itself, the AI SDK's `jsonSchema()`, or a Standard Schema that
 * knows its JSON Schema (zod from 4.2, for one). Throws `INVALID_TOOLS`, naming the tool.
 */
export function jsonSchemaOf(tool: string, schema: unknown): JsonSchema {
  if (schema === undefined) return NO_INPUT;
  const found = readJsonSchema(schema);
  if (isObject(found) && !isThenable(found)) return found;
  const why = isThenable(found) ? 'is a promise; await it and hand in the schema' : 'has no JSON Schema; use JSON Schema, or zod from 4.2';
  throw new SnugfitError('INVALID_TOOLS', `the inputSchema of ${JSON.stringify(tool)} ${why}.`);
}

function readJsonSchema(schema: unknown): unknown {
  if (isJsonSchema(schema)) return schema;
  if (!isObject(schema) && typeof schema !== 'function') return undefined;
  const { '~standard': standard, jsonSchema } = schema as { '~standard'?: unknown; jsonSchema?: unknown };
  if (isObject(standard) && isObject(standard.jsonSchema) && typeof standard.jsonSchema.input === 'function') {
    const input = standard.jsonSchema.input as (options: { target: string }) => unknown;
    return input({ target: 'draft-07' });
  }
  return jsonSchema;
}

/** The input as the schema's own library reads it; a text that says what is wrong with it where it does not. */
export async function validated(schema: unknown, input: unknown): Promise<{ value: unknown } | { issue: string }> {
  const standard = isObject(schema) ? schema['~standard'] : undefined;
  if (!isObject(standard) || typeof standard.validate !== 'function') return { value: input };
  const result = (await (standard.validate as (input: unknown) => unknown)(input)) as { value: unknown; issues?: { message: string }[] };
  return result.issues === undefined ? { value: result.value } : { issue: result.issues.map(({ message }) => message).join('; ') };
}
