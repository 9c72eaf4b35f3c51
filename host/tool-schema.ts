import { peer } from './adapters/peer.ts';
import { withFields } from './clone.ts';
import { SnugfitError, messageOf } from './errors.ts';
import { AI_SCHEMA, type Checked, showIssue } from './standard-schema.ts';
import { isObject } from './value.ts';

/** Gives the JSON Schema of a tool's own schema object; `undefined` where the usual ways are to be tried. */
export type SchemaAdapter = (schema: unknown, tool: string) => object | undefined;

/** Where hosts keep a tool's schema: AI SDK, Mastra and MCP; AI SDK 4 and OpenAI Agents; LangChain. */
const PLACES = ['inputSchema', 'parameters', 'schema'] as const;
const NOTHING = { type: 'object', properties: {} };

/**
 * What a tool takes, as JSON Schema: plain JSON Schema, zod 3 and 4, Standard Schema, the AI SDK's `jsonSchema()` and lazy schemas, or
 * whatever `adapter` knows. Throws `INVALID_TOOLS` that names the tool.
 */
export function jsonSchemaOf(name: string, tool: object, adapter?: SchemaAdapter): object {
  const schema = schemaOf(tool);
  if (schema === undefined) return NOTHING;
  const adapted = adapter?.(schema, name);
  if (adapted !== undefined) return adapted;
  let json: unknown;
  try {
    json = toJsonSchema(schema);
  } catch (thrown) {
    throw new SnugfitError('INVALID_TOOLS', `the schema of ${JSON.stringify(name)} cannot be made JSON Schema: ${messageOf(thrown)}`, {
      cause: thrown,
    });
  }
  if (isThenable(json)) {
    // Nobody waits for it here: a rejection is the caller's when he asks again.
    json.then(undefined, () => undefined);
    throw new SnugfitError(
      'INVALID_TOOLS',
      `the schema of ${JSON.stringify(name)} is a promise; resolve it first: const tools = await resolveSchemas(map).`,
    );
  }
  if (isObject(json) && !Array.isArray(json)) return json;
  throw new SnugfitError(
    'INVALID_TOOLS',
    `the schema of ${JSON.stringify(name)} is of no kind that snugfit knows (JSON Schema, zod, Standard Schema); give schemaAdapter: (schema) => its JSON Schema.`,
  );
}

/** What a tool gives, as JSON Schema; `undefined` where it does not say so in a way that is known. */
export function outputSchemaOf({ outputSchema }: { outputSchema?: unknown }): object | undefined {
  try {
    const json = toJsonSchema(outputSchema, 'output');
    return isObject(json) && !Array.isArray(json) && !isThenable(json) ? json : undefined;
  } catch {
    // Results may be of types that JSON Schema has no words for.
    return undefined;
  }
}

/**
 * A map like `tools` in which no schema is a promise any more, for functions that cannot wait. Tools without one are the same as before.
 *
 * @example
 * ```ts
 * const map = compressTools(await resolveSchemas(tools));
 * ```
 */
export async function resolveSchemas<Tools extends object>(tools: Tools): Promise<Tools> {
  const resolved = await Promise.all(
    Object.entries(tools).map(async ([name, tool]: [string, unknown]) => {
      if (!isObject(tool)) return [name, tool] as const;
      const place = schemaPlace(tool);
      const schema = place && evaluate(tool[place]);
      if (!isAiSchema(schema) || !isThenable(schema.jsonSchema)) return [name, tool] as const;
      const copy = withFields(tool, { [place as string]: { ...schema, jsonSchema: await schema.jsonSchema } });
      return [name, copy] as const;
    }),
  );
  return Object.fromEntries(resolved) as Tools;
}

/**
 * The input as the tool's own schema gives it (defaults, transformations), where the schema can tell; hosts do the same before they run a
 * tool. Throws `INVALID_INPUT` with what the schema says.
 */
export async function validInput(name: string, tool: object, input: unknown): Promise<unknown> {
  const check = validatorOf(schemaOf(tool));
  if (check === undefined) return input;
  const checked = await check(input);
  if (checked.issues === undefined) return checked.value;
  throw new SnugfitError('INVALID_INPUT', `${name} was not run: ${checked.issues.map(showIssue).join('; ')}`);
}

/** A check by a schema's own means, if it has any. */
export function validatorOf(given: unknown): ((value: unknown) => Checked<unknown> | Promise<Checked<unknown>>) | undefined {
  const schema = evaluate(given);
  if (!isObject(schema)) return undefined;
  const standard = schema['~standard'];
  if (isObject(standard) && typeof standard.validate === 'function') {
    const { validate } = standard as { validate: (value: unknown) => Checked<unknown> | Promise<Checked<unknown>> };
    return (value) => validate(value);
  }
  if (isAiSchema(schema) && typeof schema.validate === 'function') {
    const { validate } = schema;
    return async (value) => {
      const checked = (await validate(value)) as { success: boolean; value?: unknown; error?: unknown };
      return checked.success ? { value: checked.value } : { issues: [{ message: messageOf(checked.error) }] };
    };
  }
  return undefined;
}

/** The field in which a tool keeps its schema. */
export function schemaPlace(tool: object): (typeof PLACES)[number] | undefined {
  const fields = tool as Record<string, unknown>;
  return PLACES.find((key) => fields[key] !== undefined && fields[key] !== null);
}

function schemaOf(tool: object): unknown {
  const place = schemaPlace(tool);
  return place && (tool as Record<string, unknown>)[place];
}

/** Whether a schema is JSON Schema as it stands. */
export function isPlainSchema(schema: unknown): boolean {
  return isObject(schema) && !isAiSchema(schema) && !('_zod' in schema) && !('_def' in schema) && isJsonSchema(schema);
}

/** The AI SDK's lazy schemas are functions. */
function evaluate(schema: unknown): unknown {
  return typeof schema === 'function' && !('~standard' in schema) ? (schema as () => unknown)() : schema;
}

/** `side`: what goes into the schema, or what it makes of that. */
function toJsonSchema(given: unknown, side: 'input' | 'output' = 'input'): unknown {
  const schema = evaluate(given);
  if (!isObject(schema) && typeof schema !== 'function') return undefined;
  const fields = schema as Record<PropertyKey, unknown>;
  if (isAiSchema(fields)) return fields.jsonSchema;
  const standard = fields['~standard'];
  if (isObject(standard) && isObject(standard.jsonSchema) && typeof standard.jsonSchema[side] === 'function') {
    return (standard.jsonSchema as Record<typeof side, (options: object) => unknown>)[side]({ target: 'draft-2020-12' });
  }
  // zod 4 before it was a Standard JSON Schema; zod 3.
  if ('_zod' in fields) return converter('zod/v4/core', 'toJSONSchema')(schema, { io: side });
  if (isObject(fields._def) && 'typeName' in fields._def)
    return converter('zod-to-json-schema', 'zodToJsonSchema')(schema, {
      pipeStrategy: side,
    });
  return isJsonSchema(fields) ? fields : undefined;
}

function isAiSchema(schema: unknown): schema is Record<PropertyKey, unknown> & { validate?: (value: unknown) => unknown } {
  return isObject(schema) && schema[AI_SCHEMA] === true && 'jsonSchema' in schema;
}

/** Schemas without any of these say nothing of an object's properties. */
const KEYWORDS = ['type', 'properties', '$ref', 'anyOf', 'oneOf', 'allOf', 'additionalProperties', '$schema', 'required', '$defs'];

/** Whether a schema is plain JSON Schema, no library's object. */
export function isJsonSchema(fields: object): boolean {
  if ('~standard' in fields) return false;
  return Object.keys(fields).length === 0 || KEYWORDS.some((key) => key in fields);
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return isObject(value) && typeof value.then === 'function';
}

/** A function of a package that the host has anyway if it uses such schemas. */
function converter(module: string, name: string): (schema: unknown, options: object) => unknown {
  const found = peer(module, 'a schema of zod') as Record<string, (schema: unknown, options: object) => unknown>;
  return found[name] ?? (() => undefined);
}
