import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { SnugfitError } from './errors.ts';
import { isObject } from './value.ts';

// The optional cursor in a tool's input schema, in whichever dialect the schema is.

type Fields = Record<string, unknown>;

/** What is used of zod. */
interface Zod {
  object(shape: Fields): unknown;
  string(): { describe(text: string): { optional(): unknown } };
}

/** What is used of a zod object. */
interface ZodObject {
  shape: Fields;
  extend(shape: Fields): unknown;
}

/** What is used of a Standard Schema. */
interface Standard {
  version: 1;
  vendor: string;
  validate(value: unknown): Checked | Promise<Checked>;
  jsonSchema?: Record<'input' | 'output', (options?: unknown) => Fields>;
}
interface Checked {
  value?: unknown;
  issues?: readonly unknown[] | undefined;
}

/**
 * A schema like `schema` that also takes an optional string `param`: for a shape or object of zod 3 or 4, a Standard Schema, a JSON Schema, or
 * no schema at all. Throws `INVALID_OPTION` where there is such a parameter already or the schema is of no known kind.
 */
export function withCursor(schema: unknown, param: string, description: string): unknown {
  const field = (zod: Zod) => ({ [param]: zod.string().describe(description).optional() });
  if (schema === undefined) return zod4().object(field(zod4()));
  if (!isObject(schema)) throw unknownSchema();
  if (isZod(schema)) {
    if (!isZodObject(schema)) throw unknownSchema();
    refuseTaken(schema.shape, param);
    return schema.extend(field(zodOf(schema)));
  }
  const standard = schema['~standard'] as Standard | undefined;
  if (isObject(standard)) return extendStandard(standard, param, description);
  if (Object.values(schema).every(isZod)) {
    refuseTaken(schema, param);
    const [first] = Object.values(schema);
    return { ...schema, ...field(first === undefined ? zod4() : zodOf(first)) };
  }
  if (schema.type !== 'object') throw unknownSchema();
  return extendJson(schema, param, description);
}

function extendJson(schema: Fields, param: string, description: string): Fields {
  const properties = isObject(schema.properties) ? (schema.properties as Fields) : {};
  refuseTaken(properties, param);
  return { ...schema, properties: { ...properties, [param]: { type: 'string', description } } };
}

/** The inner schema never sees the cursor; what it makes of the rest gets it back. */
function extendStandard(inner: Standard, param: string, description: string): object {
  const { jsonSchema } = inner;
  if (jsonSchema === undefined) throw unknownSchema();
  extendJson(jsonSchema.input({ target: 'draft-2020-12' }), param, description);
  const extended = (side: 'input' | 'output') => (options?: unknown) => extendJson(jsonSchema[side](options), param, description);
  return {
    '~standard': {
      ...inner,
      jsonSchema: { input: extended('input'), output: extended('output') },
      validate(value: unknown): Checked | Promise<Checked> {
        if (!isObject(value) || !(param in value)) return inner.validate(value);
        const { [param]: cursor, ...rest } = value as Fields;
        if (cursor !== undefined && typeof cursor !== 'string')
          return { issues: [{ message: `${param} must be a string`, path: [param] }] };
        const withIt = (checked: Checked): Checked =>
          checked.issues === undefined ? { value: { ...(checked.value as Fields), [param]: cursor } } : checked;
        const checked = inner.validate(rest);
        return checked instanceof Promise ? checked.then(withIt) : withIt(checked);
      },
    },
  };
}

function refuseTaken(fields: Fields, param: string): void {
  if (param in fields)
    throw new SnugfitError(
      'INVALID_OPTION',
      `cursorParam: the tool has a parameter ${JSON.stringify(param)} of its own; choose another name.`,
    );
}

function unknownSchema(): SnugfitError {
  return new SnugfitError(
    'INVALID_OPTION',
    'inputSchema must be a zod object or shape, a Standard Schema with JSON Schema, or a JSON Schema of type object.',
  );
}

function isZod(schema: unknown): boolean {
  return isObject(schema) && ('_zod' in schema || ('_def' in schema && typeof schema.safeParse === 'function'));
}

function isZodObject(schema: object): schema is ZodObject {
  return 'shape' in schema && 'extend' in schema && typeof schema.extend === 'function';
}

function zodOf(schema: unknown): Zod {
  return isObject(schema) && '_zod' in schema ? zod4() : zodModule('zod/v3', 'zod');
}

function zod4(): Zod {
  return zodModule('zod/v4', 'zod');
}

/** The host's zod, else ours; a schema of one copy is a schema to another. */
function zodModule(...names: string[]): Zod {
  const places = [pathToFileURL(`${process.cwd()}/`).href, import.meta.url];
  for (const name of names) {
    for (const place of places) {
      try {
        return createRequire(place)(name) as Zod;
      } catch {
        // Not there: the next place, or the next name.
      }
    }
  }
  throw new SnugfitError(
    'PEER_MISSING',
    'paginateTool needs zod for this inputSchema: install zod beside snugfit, or give a Standard Schema.',
  );
}
