import type { NativeSelector } from './binding.ts';
import { withFields } from './clone.ts';
import { blockTexts, isEnvelope } from './envelope.ts';
import { SnugfitError } from './errors.ts';
import { type Checked, toolSchema } from './standard-schema.ts';
import { lastOf } from './stream.ts';
import type { RunnableTool } from './tool.ts';
import { jsonSchemaOf, schemaPlace, validInput, validatorOf } from './tool-schema.ts';
import type { Toolset } from './toolset.ts';
import { isObject } from './value.ts';

const SENTENCE =
  'In place of any argument value, {"$recover":{"response_id":"…","path":"/body"}} passes a shortened result of another tool, or its part at path, in full.';
/** Arguments nested deeper than this are looked at no further. */
const MAX_DEPTH = 64;
/** What is passed on is never shortened. */
const EVERYTHING = { bytes: Number.MAX_SAFE_INTEGER };

/** An original, or a part of it, that stands for an argument. */
interface Reference {
  response_id: string;
  path?: string;
  lines?: string;
}

/**
 * A tool like `tool` that takes `{"$recover":{…}}` in place of any argument value and is run with the original that it names. Its schema lets
 * such arguments through; with the original in its place the input is checked as before.
 */
export function acceptingOriginals({ originals }: Toolset, name: string, tool: RunnableTool): RunnableTool {
  const { description, execute } = tool;
  const accepting: RunnableTool = withFields(tool, {
    ...(typeof description === 'string' && { description: `${description} ${SENTENCE}` }),
    ...acceptingSchema(name, tool),
    execute(this: unknown, ...args: unknown[]) {
      const self = this === accepting ? tool : this;
      // A call without references stays what it was: it may stream, or throw at once.
      if (!hasReference(args[0], 0)) return Reflect.apply(execute, self, args);
      return (async () => {
        const input = await validInput(name, tool, await filled(args[0], 0));
        return lastOf(Reflect.apply(execute, self, [input, ...args.slice(1)]));
      })();
    },
  });
  return accepting;

  async function filled(value: unknown, depth: number): Promise<unknown> {
    if (depth > MAX_DEPTH || !isContainer(value)) return value;
    const reference = referenceOf(value);
    if (reference !== undefined) return original(reference);
    if (Array.isArray(value)) return Promise.all(value.map((item) => filled(item, depth + 1)));
    const entries = Object.entries(value).map(async ([key, item]) => [key, await filled(item, depth + 1)] as const);
    return Object.fromEntries(await Promise.all(entries));
  }

  async function original({ response_id: id, path, lines }: Reference): Promise<unknown> {
    if (path === undefined && lines === undefined) return wholeOf(await originals.recover(id));
    const selector: NativeSelector = path === undefined ? { lines: lines ?? '' } : { path };
    const answer = await originals.read(id, selector, EVERYTHING);
    if (path === undefined) return answer.slice(0, Math.max(answer.lastIndexOf('\n'), 0));
    const { part, matches } = JSON.parse(answer) as { part: unknown; matches?: number };
    return matches === undefined ? part : (part as { value: unknown }[]).map(({ value }) => value);
  }
}

/** The text of an original: of an MCP result its text blocks. */
function wholeOf(original: string): string {
  if (!original.startsWith('{"content":[')) return original;
  const value: unknown = JSON.parse(original);
  return isEnvelope(value) ? blockTexts(value).join('\n') : original;
}

function hasReference(value: unknown, depth: number): boolean {
  if (depth > MAX_DEPTH || !isContainer(value)) return false;
  return referenceOf(value) !== undefined || Object.values(value).some((item) => hasReference(item, depth + 1));
}

/** Plain objects and arrays, as models send them. */
function isContainer(value: unknown): value is object {
  if (Array.isArray(value)) return true;
  if (!isObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function referenceOf(value: object): Reference | undefined {
  const keys = Object.keys(value);
  if (keys.length !== 1 || keys[0] !== '$recover') return undefined;
  const { $recover: reference } = value as { $recover: unknown };
  const { response_id: id, path, lines, ...rest } = isObject(reference) ? reference : {};
  const fine =
    typeof id === 'string' &&
    Object.keys(rest).length === 0 &&
    [path, lines].every((part) => part === undefined || typeof part === 'string');
  if (!fine || (path !== undefined && lines !== undefined))
    throw new SnugfitError(
      'INVALID_INPUT',
      '$recover takes response_id and at most one of path and lines, such as {"$recover":{"response_id":"…","path":"/body"}}',
    );
  return reference as Reference;
}

/** The tool's schema, which lets references through; nothing where it does not check inputs anyway. */
function acceptingSchema(name: string, tool: RunnableTool): object {
  const place = schemaPlace(tool);
  const validate = place === undefined ? undefined : validatorOf((tool as unknown as Record<string, unknown>)[place]);
  if (place === undefined || validate === undefined) return {};
  const accept = (input: unknown): Checked<unknown> | Promise<Checked<unknown>> => {
    try {
      return hasReference(input, 0) ? { value: input } : validate(input);
    } catch (thrown) {
      return { issues: [{ message: (thrown as Error).message }] };
    }
  };
  return { [place]: toolSchema(jsonSchemaOf(name, tool), accept) };
}
