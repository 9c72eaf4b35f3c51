import { withCursor } from './cursor-param.ts';
import { type Envelope, isEnvelope } from './envelope.ts';
import { SnugfitError } from './errors.ts';
import { native } from './native.ts';
import { settle } from './outcome.ts';
import { type PageOptions, type ParsedPageOptions, inputOf, pageText, parsePageOptions, textOf } from './page.ts';
import { isObject } from './value.ts';

/** Options of {@link paginate} and {@link paginateTool}. */
export type PaginateOptions = Omit<PageOptions, 'cursor'>;

/** The MCP result of a page. */
export interface PageResult {
  [key: string]: unknown;
  content: { type: 'text'; text: string }[];
  isError?: boolean;
}

/** A handler of an MCP tool, or of anything like it. */
export type Handler = (...args: never[]) => unknown;

/** A handler whose arguments may have the cursor besides their own. */
export type Paginated<F extends Handler> = (...args: Parameters<F>) => Promise<PageResult>;

/**
 * Wraps the handler of an MCP tool, `(args, extra) => value`, so that a large result goes out in pages: the parameter `cursor` of `args` is
 * kept from the handler, which runs again for every page, so results need a stable order. The handler may return any value, or a ready
 * `CallToolResult`: its first text block is paged, other blocks stay on the first page. A cursor that no page gave becomes a result with
 * `isError`.
 *
 * @example
 * ```ts
 * const handler = paginate(async ({ state }) => api.runs(state), { budget: { bytes: 60_000 } });
 * ```
 */
export function paginate<F extends Handler>(handler: F, options: PaginateOptions = {}): Paginated<F> {
  const parsed = parsePageOptions(options);
  const param = parsed.native.cursorParam ?? 'cursor';
  const run = handler as unknown as (this: unknown, ...args: unknown[]) => unknown;
  return async function (this: unknown, ...args: unknown[]): Promise<PageResult> {
    const [cursor, own] = splitCursor(args[0], param);
    const value = await Reflect.apply(run, this, [own, ...args.slice(1)]);
    return pageResult(value, parsed, cursor);
  };
}

/** What {@link paginateTool} needs of a tool's configuration. */
export interface ToolConfig {
  description?: string | undefined;
  inputSchema?: unknown;
  outputSchema?: unknown;
}

/** A configuration with the cursor in its input schema, and without an output schema, which a page cannot match. */
export type PaginatedConfig<Config extends ToolConfig> = Omit<Config, 'outputSchema' | 'description'> & { description: string };

/**
 * As {@link paginate}, for the arguments of `server.registerTool` of the MCP TypeScript SDK, version 1 or 2: extends the input schema by the
 * optional `cursor` and the description by a sentence about it, and takes the output schema away.
 *
 * Throws `INVALID_OPTION` where the tool has such a parameter already, `PEER_MISSING` where its schema needs zod and there is none.
 *
 * @example
 * ```ts
 * server.registerTool('runs', ...paginateTool({ description: 'Lists runs', inputSchema: { state: z.string() } }, listRuns));
 * ```
 */
export function paginateTool<Config extends ToolConfig, F extends Handler>(
  config: Config,
  handler: F,
  options: PaginateOptions = {},
): [config: PaginatedConfig<Config>, handler: Paginated<F>] {
  const param = options.cursorParam ?? 'cursor';
  const sentence = `A large result comes in pages: call again with the same arguments and the ${param} that the page gives as next_cursor.`;
  const paged = { ...config };
  delete paged.outputSchema;
  paged.inputSchema = withCursor(config.inputSchema, param, 'next_cursor of the page before');
  paged.description = config.description ? `${config.description.trimEnd()} ${sentence}` : sentence;
  return [paged as unknown as PaginatedConfig<Config>, paginate(handler, options)];
}

/** The cursor among the arguments, and the arguments without it. */
function splitCursor(args: unknown, param: string): [cursor: unknown, own: unknown] {
  if (!isObject(args) || !Object.hasOwn(args, param)) return [undefined, args];
  const { [param]: cursor, ...own } = args;
  return [cursor, own];
}

async function pageResult(value: unknown, parsed: ParsedPageOptions, cursor: unknown): Promise<PageResult> {
  if (isEnvelope(value) && value.isError === true) return value as unknown as PageResult;
  const first = cursor === undefined || cursor === null || cursor === '';
  const options = first ? parsed : { ...parsed, native: { ...parsed.native, cursor: typeof cursor === 'string' ? cursor : '-' } };
  try {
    if (!isEnvelope(value)) return { content: [{ type: 'text', text: await pageOf(inputOf(value), options) }] };
    return await pageEnvelope(value, options, first);
  } catch (thrown) {
    if (thrown instanceof SnugfitError && thrown.code === 'INVALID_CURSOR')
      return { content: [{ type: 'text', text: thrown.message }], isError: true };
    throw thrown;
  }
}

/** The first text block paged, or what stands in for it; `structuredContent` would double the size. */
async function pageEnvelope(value: Envelope, options: ParsedPageOptions, first: boolean): Promise<PageResult> {
  const { structuredContent, ...envelope } = value;
  const at = value.content.findIndex(({ type }) => type === 'text');
  const block = value.content[at];
  if (block === undefined && structuredContent === undefined) return envelope as unknown as PageResult;
  const text = await pageOf(block === undefined ? inputOf(structuredContent) : (block.text as string), options);
  const page = { ...block, type: 'text' as const, text };
  const content = first ? (block === undefined ? [page, ...value.content] : value.content.with(at, page)) : [page];
  return { ...envelope, content } as PageResult;
}

/** On a worker, unless the caller counts. */
async function pageOf(input: string, parsed: ParsedPageOptions): Promise<string> {
  const { limits, native: options } = parsed;
  if ('count' in limits) return pageText(input, parsed, false);
  return textOf(await settle(() => native().page(input, limits.budget, options)));
}
