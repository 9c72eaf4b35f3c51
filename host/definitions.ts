import { readFileSync } from 'node:fs';
import type { NativeShrinkOptions } from './binding.ts';
import { checkKeys, invalidOption, oneOf, positiveInteger, text } from './check.ts';
import { withFields } from './clone.ts';
import { SnugfitError, messageOf } from './errors.ts';
import { native } from './native.ts';
import { attempt } from './outcome.ts';
import { toolSchema } from './standard-schema.ts';
import { definitionOf } from './surface.ts';
import { mapTools } from './tool.ts';
import { type SchemaAdapter, isPlainSchema, schemaPlace, validatorOf } from './tool-schema.ts';
import { isObject } from './value.ts';

/** Options of {@link shrinkDefinitions}. */
export interface ShrinkDefinitionsOptions {
  /**
   * `rules`: by rules alone. `llm`: descriptions come from the file at `cachePath`, which somebody filled beforehand; a description that is
   * not in it is shortened by the rules, and one warning says how many were.
   * @default 'rules'
   */
  mode?: 'rules' | 'llm' | undefined;
  /**
   * Characters of a tool's description; a sentence that ends a little past them is finished.
   * @default 160
   */
  maxDescriptionChars?: number | undefined;
  /**
   * Characters of a parameter's description.
   * @default 100
   */
  maxParameterChars?: number | undefined;
  /**
   * Move subschemas that occur twice to `$defs`, where that saves characters.
   * @default true
   */
  dedupeSchemas?: boolean | undefined;
  /**
   * Keep `$schema`, which clients need for unusual drafts only.
   * @default false
   */
  keepDialect?: boolean | undefined;
  /** A JSON object of descriptions by {@link descriptionKey}; for `llm`. */
  cachePath?: string | undefined;
  /** Gives the JSON Schema of a schema object that is none of JSON Schema, zod, Standard Schema or the AI SDK's. */
  schemaAdapter?: SchemaAdapter | undefined;
}

const OPTIONS = ['mode', 'maxDescriptionChars', 'maxParameterChars', 'dedupeSchemas', 'keepDialect', 'cachePath', 'schemaAdapter'];

/** Definitions that were shrunk before, by what they were and how; a host asks again for every request. */
const cache = new Map<string, { description: string; inputSchema: string; missed: boolean }>();
const MOST_CACHED = 2000;

/**
 * The same tools with shorter descriptions and smaller schemas, for clients that want the real ones. The schemas allow what they allowed,
 * and the same map gives the same bytes every time, which prompt caches reward. The given map and its tools stay as they are.
 *
 * Throws `INVALID_OPTION`, `INVALID_TOOLS` or `NATIVE_MISSING`.
 *
 * @example
 * ```ts
 * const tools = shrinkDefinitions(await client.tools(), { maxDescriptionChars: 120 });
 * ```
 */
export function shrinkDefinitions<Tools extends object>(tools: Tools, options: ShrinkDefinitionsOptions = {}): Tools {
  const { native: parsed, adapter } = parseOptions(options);
  let missed = 0;
  const shrunk = mapTools(tools, (key, tool) => {
    if (!isObject(tool) || typeof key === 'symbol' || isProviderTool(tool)) return tool;
    const small = shrink(JSON.stringify(definitionOf(String(key), tool, adapter)), parsed);
    if (small.missed) missed++;
    return replaced(tool, small.description, JSON.parse(small.inputSchema) as object);
  });
  if (missed > 0) {
    const what = missed === 1 ? 'One description is' : `${missed} descriptions are`;
    process.emitWarning(`${what} not in ${String(options.cachePath)}; the rules shortened them.`, { code: 'SNUGFIT_DESCRIPTIONS' });
  }
  return shrunk as Tools;
}

/** The key of a tool's description in the file of {@link ShrinkDefinitionsOptions.cachePath}. */
export function descriptionKey(description: string): string {
  return native().descriptionKey(description);
}

function shrink(definition: string, options: NativeShrinkOptions) {
  const key = `${JSON.stringify(options)}\n${definition}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const outcome = attempt(() => native().shrinkDefinition(JSON.parse(definition) as never, options));
  const { description = '', inputSchema = '{}', missed = false } = outcome;
  const [oldest] = cache.keys();
  if (cache.size >= MOST_CACHED && oldest !== undefined) cache.delete(oldest);
  cache.set(key, { description, inputSchema, missed });
  return { description, inputSchema, missed };
}

/** A copy of a tool with another description and schema; the schema still checks as the tool's own does. */
function replaced(tool: object, description: string, json: object): object {
  const place = schemaPlace(tool);
  const schema = place && (tool as Record<string, unknown>)[place];
  const validate = validatorOf(schema) ?? ((value: unknown) => ({ value }));
  return withFields(tool, {
    ...('description' in tool && { description }),
    ...(place !== undefined && { [place]: isPlainSchema(schema) ? json : toolSchema(json, validate) }),
  });
}

/** Its definition is the provider's. */
function isProviderTool({ type }: Record<PropertyKey, unknown>): boolean {
  return type === 'provider' || type === 'provider-defined';
}

function parseOptions(options: unknown): { native: NativeShrinkOptions; adapter: SchemaAdapter | undefined } {
  checkKeys('options', options, OPTIONS);
  const {
    mode = 'rules',
    maxDescriptionChars = 160,
    maxParameterChars = 100,
    dedupeSchemas = true,
    keepDialect = false,
    cachePath,
    schemaAdapter,
  } = options as ShrinkDefinitionsOptions;
  for (const [name, value] of Object.entries({ dedupeSchemas, keepDialect })) {
    if (typeof value !== 'boolean') throw invalidOption(name, value, 'true or false');
  }
  if (schemaAdapter !== undefined && typeof schemaAdapter !== 'function')
    throw invalidOption('schemaAdapter', schemaAdapter, 'a function from a schema to its JSON Schema');
  const written = oneOf('mode', mode, ['rules', 'llm'] as const) === 'llm' ? readCache(cachePath) : undefined;
  return {
    native: {
      maxDescriptionChars: positiveInteger('maxDescriptionChars', maxDescriptionChars, 'characters'),
      maxParameterChars: positiveInteger('maxParameterChars', maxParameterChars, 'characters'),
      dedupeSchemas,
      keepDialect,
      ...(written && { written }),
    },
    adapter: schemaAdapter,
  };
}

function readCache(path: unknown): Record<string, string> {
  if (path === undefined) throw new SnugfitError('INVALID_OPTION', 'cachePath is missing; mode "llm" takes descriptions from that file.');
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(text('cachePath', path), 'utf8'));
  } catch (thrown) {
    throw new SnugfitError('INVALID_OPTION', `cachePath: ${messageOf(thrown)}`, { cause: thrown });
  }
  if (isObject(content) && !Array.isArray(content) && Object.values(content).every((value) => typeof value === 'string'))
    return content as Record<string, string>;
  throw new SnugfitError('INVALID_OPTION', 'cachePath must be a file with a JSON object of descriptions by descriptionKey.');
}
