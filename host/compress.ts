import type { NativeSurface, TextOutcome } from './binding.ts';
import { checkKeys, invalidOption, oneOf, text } from './check.ts';
import { SnugfitError, messageOf } from './errors.ts';
import { native } from './native.ts';
import { SHRINKFIT_OPTIONS, type ShrinkfitOptions } from './options.ts';
import { attempt } from './outcome.ts';
import { runTool } from './run.ts';
import { shrinkfitTools } from './shrinkfit-tools.ts';
import { type Checked, type ToolSchema, toolSchema } from './standard-schema.ts';
import { openSurface, recoveryCalls, splitTools } from './surface.ts';
import { type RunnableTool, addTool } from './tool.ts';
import { type Toonify, isFitted, parseToonify, toonified } from './toonify.ts';
import type { SchemaAdapter } from './tool-schema.ts';
import { isObject, toJson } from './value.ts';

/** Options of {@link compressTools}; those of `shrinkfitTools` count where `shrinkfit` is given. */
export interface CompressOptions<Prefix extends string = string> extends ShrinkfitOptions {
  /**
   * How much of each tool is listed. `low`: parameters and whole description; `medium`: parameters and first sentence; `high`: parameters;
   * `max`: nothing, `list_tools` gives the names.
   * @default 'medium'
   */
  compressionLevel?: CompressionLevel | undefined;
  /** Stands before the wrappers' names: `alpha` makes `alpha_invoke_tool`. What model APIs do not take in a name becomes `_`. */
  namePrefix?: Prefix | undefined;
  /**
   * Results that are JSON come back as [TOON](https://toonformat.dev), or with `csv` as CSV where they are plain tables, if that is shorter.
   * Without effect where results are fitted: a notice and a recovered original stay as they are.
   * @default false
   */
  toonify?: Toonify | undefined;
  /** Gives the JSON Schema of a schema object that is none of JSON Schema, zod, Standard Schema or the AI SDK's. */
  schemaAdapter?: SchemaAdapter | undefined;
}

/** How much of each tool {@link compressTools} lists. */
export type CompressionLevel = 'low' | 'medium' | 'high' | 'max';

/** A tool that stands for others, for every host. */
export interface WrapperTool<Input, Output> {
  description: string;
  inputSchema: ToolSchema<Input>;
  execute: (input: Input, ...rest: unknown[]) => Promise<Output>;
}

/** What `invoke_tool` takes. */
export interface InvokeInput {
  /** A name of the listing. */
  tool_name: string;
  /** The tool's own input; JSON text of it is taken as well. */
  tool_input?: unknown;
}

type Prefixed<Prefix extends string, Name extends string> = '' extends Prefix ? Name : `${Prefix}_${Name}`;

/** A compressed map: the wrappers, and the tools that stay beside them. */
export type CompressedTools<Tools, Prefix extends string = ''> = Record<
  Prefixed<Prefix, 'get_tool_schema'>,
  WrapperTool<{ tool_name: string }, string>
> &
  Record<Prefixed<Prefix, 'invoke_tool'>, WrapperTool<InvokeInput, unknown>> &
  Partial<Record<Prefixed<Prefix, 'list_tools'>, WrapperTool<object, string>>> &
  Partial<Tools>;

const LEVELS = ['low', 'medium', 'high', 'max'] as const;
const OWN = ['compressionLevel', 'namePrefix', 'toonify', 'schemaAdapter'] as const;

/**
 * Puts two or three tools in the place of all: `get_tool_schema`, whose description lists the tools, `invoke_tool`, and at the level `max`
 * `list_tools`. Tools without `execute`, or with `needsApproval`, stay in the map beside them. With `shrinkfit` the results are fitted, and
 * the recovery tool is one of the tools listed.
 *
 * Where the wrappers would be larger than what they replace, the tools are listed as they are and a process warning says so; the wrappers
 * can be called all the same.
 *
 * Throws `INVALID_OPTION`, `INVALID_TOOLS`, `ALREADY_WRAPPED` or `NATIVE_MISSING`. `invoke_tool` fails with `UNKNOWN_TOOL` or
 * `INVALID_INPUT` before the tool runs.
 *
 * @example
 * ```ts
 * const tools = compressTools({ search, fetch }, { compressionLevel: 'medium', shrinkfit: 6000 });
 * await tools.invoke_tool.execute({ tool_name: 'search', tool_input: { query: 'bolt' } });
 * ```
 */
export function compressTools<Tools extends object, const Prefix extends string = ''>(
  tools: Tools,
  options: CompressOptions<Prefix> = {},
): CompressedTools<Tools, Prefix> {
  const { level, prefix, toonify, adapter, shrinkfit } = parseOptions(options);
  const map = shrinkfitTools(tools, shrinkfit).tools as object;
  const { behind, beside } = splitTools(map);
  const surface = openSurface(behind, adapter);

  const name = (base: string) => freeName(beside, prefix === '' ? base : `${prefix}_${base}`);
  const names = { getToolSchema: name('get_tool_schema'), invokeTool: name('invoke_tool'), listTools: name('list_tools') };
  const { wrappers = [], larger = false } = attempt(() => surface.wrappers(level, names));
  const behaviours = [describe(surface), invoke(surface, behind, names.invokeTool, toonify), list(surface)];
  const compressed = pick(map, larger ? Reflect.ownKeys(map) : beside);
  wrappers.forEach((wrapper, index) => {
    const inputSchema = JSON.parse(wrapper.inputSchema) as object;
    addTool(compressed, wrapper.name, { description: wrapper.description, ...behaviours[index]?.(inputSchema) });
    if (larger) Object.defineProperty(compressed, wrapper.name, { enumerable: false });
  });
  if (larger) warnLarger(behind.size, level);
  return compressed as CompressedTools<Tools, Prefix>;
}

type Behaviour = (inputSchema: object) => { inputSchema: object; execute: (...args: unknown[]) => Promise<unknown> };

function describe(surface: NativeSurface): Behaviour {
  return (json) => ({
    inputSchema: toolSchema(json, checkNamed),
    execute: (input: unknown) => Promise.resolve().then(() => textIn(surface.describe(nameIn(input)))),
  });
}

function invoke(surface: NativeSurface, tools: Map<string, RunnableTool>, by: string, toonify: Toonify): Behaviour {
  const calls = recoveryCalls(tools, (tool) => ({ recoveryTool: tool, recoveryCall: 'invoke', recoveryBy: by }));
  return (json) => ({
    inputSchema: toolSchema(json, checkNamed),
    execute: async (input: unknown, ...rest: unknown[]) => {
      const name = nameIn(input);
      const prepared: unknown = JSON.parse(textIn(surface.prepare(name, sentInput(input))));
      const tool = tools.get(name);
      if (tool === undefined) throw new SnugfitError('INTERNAL', 'snugfit failed: the surface knows a tool that is not there');
      const result = await runTool(name, tool, prepared, { form: 'text', calls }, ...rest);
      return isFitted(name, tool) ? result : toonified(result, toonify);
    },
  });
}

function list(surface: NativeSurface): Behaviour {
  return (json) => ({
    inputSchema: toolSchema(json, (value) => ({ value: value as never })),
    execute: () => Promise.resolve(surface.names()),
  });
}

function textIn(outcome: TextOutcome): string {
  return attempt(() => outcome).text ?? '';
}

function nameIn(input: unknown): string {
  const checked = checkNamed(input);
  if (checked.issues === undefined) return checked.value.tool_name;
  throw new SnugfitError('INVALID_INPUT', checked.issues.map(({ message }) => message).join('; '));
}

function checkNamed(input: unknown): Checked<InvokeInput> {
  if (isObject(input) && typeof input.tool_name === 'string') return { value: input as unknown as InvokeInput };
  return { issues: [{ message: 'tool_name must be the name of a tool, a string', path: ['tool_name'] }] };
}

/** `tool_input` as JSON text; empty where there is none. */
function sentInput(input: unknown): string {
  const { tool_input: sent } = input as { tool_input?: unknown };
  try {
    return toJson(sent) ?? '';
  } catch (thrown) {
    throw new SnugfitError('INVALID_INPUT', `tool_input has no JSON form: ${messageOf(thrown)}`, { cause: thrown });
  }
}

/** A map of the same kind with some of the keys. */
function pick(map: object, keys: readonly PropertyKey[]): object {
  const picked = Object.create(Object.getPrototypeOf(map) as object | null) as object;
  for (const key of keys) addTool(picked, key, (map as Record<PropertyKey, unknown>)[key]);
  return picked;
}

function freeName(taken: readonly PropertyKey[], wanted: string): string {
  let name = wanted;
  for (let n = 2; taken.includes(name); n++) name = `${wanted}_${n}`;
  return name;
}

function warnLarger(count: number, level: CompressionLevel): void {
  process.emitWarning(
    `compressTools lists ${count === 1 ? 'the tool as it is' : `the ${count} tools as they are`}: at the level ${level} the wrappers would be larger than what they replace.`,
    { code: 'SNUGFIT_NOT_COMPRESSED' },
  );
}

function parseOptions(options: unknown) {
  checkKeys('options', options, [...OWN, ...SHRINKFIT_OPTIONS]);
  const { compressionLevel = 'medium', namePrefix = '', toonify, schemaAdapter, ...shrinkfit } = options as CompressOptions;
  if (schemaAdapter !== undefined && typeof schemaAdapter !== 'function') {
    throw invalidOption('schemaAdapter', schemaAdapter, 'a function from a schema to its JSON Schema');
  }
  return {
    toonify: parseToonify(toonify),
    level: oneOf('compressionLevel', compressionLevel, LEVELS),
    prefix: native().toolName(text('namePrefix', namePrefix)),
    adapter: schemaAdapter,
    shrinkfit,
  };
}
