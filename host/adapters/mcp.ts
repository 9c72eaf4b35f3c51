/**
 * snugfit for MCP: the tools of a server as a map for clients, and pages for servers.
 *
 * @packageDocumentation
 */
import { SnugfitError } from '../errors.ts';
import { findSignal } from '../signal.ts';
import { addTool } from '../tool.ts';

export { paginate, paginateTool } from '../paginate.ts';
export type { Handler, PageResult, Paginated, PaginatedConfig, PaginateOptions, ToolConfig } from '../paginate.ts';

/** As much of an MCP client as is needed: of `@modelcontextprotocol/sdk` (v1) or `@modelcontextprotocol/client` (v2). */
export interface McpClientLike {
  listTools(params?: { cursor?: string }): Promise<{ tools: McpToolListing[]; nextCursor?: string | undefined }>;
  callTool(params: { name: string; arguments?: Record<string, unknown> }, ...rest: never[]): Promise<unknown>;
}

/** A tool as a server lists it. */
export interface McpToolListing {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  inputSchema: object;
  outputSchema?: object | undefined;
  annotations?: object | undefined;
  _meta?: Record<string, unknown> | undefined;
}

/** A tool of an MCP server that can be called: everything the server says of it, and `execute`. */
export interface McpTool extends Omit<McpToolListing, 'name'> {
  /** Calls the tool; gives the `CallToolResult`. The abort signal of `options` (`signal` or `abortSignal`) cancels the call. */
  execute: (input: Record<string, unknown>, options?: object) => Promise<McpResult>;
}

/** A `CallToolResult` of MCP. */
export interface McpResult {
  content: { type: string; [field: string]: unknown }[];
  structuredContent?: unknown;
  isError?: boolean | undefined;
  [field: string]: unknown;
}

/** More pages than any server has; what gives more goes round in circles. */
const MOST_PAGES = 10_000;

/**
 * The tools of a connected MCP client as a map, by their names on the server. All pages of the list are read.
 *
 * Rejects with what the client rejects with, and with `INVALID_TOOLS` if the list's pages never end.
 *
 * @example
 * ```ts
 * const { tools, close } = shrinkfitTools(await fromMcpClient(client), { shrinkfit: 6000 });
 * const result = await tools.search.execute({ q: 'login crash' });
 * ```
 */
export async function fromMcpClient(client: McpClientLike): Promise<Record<string, McpTool>> {
  const tools = {};
  for (const { name, ...listing } of await listAll(client)) addTool(tools, name, { ...listing, execute: caller(client, name) });
  return tools;
}

/** Cursors are opaque: an empty one is one, too. */
async function listAll(client: McpClientLike): Promise<McpToolListing[]> {
  const found: McpToolListing[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await client.listTools(cursor === undefined ? undefined : { cursor });
    found.push(...page.tools);
    cursor = page.nextCursor;
    if (cursor === undefined) return found;
    if (seen.has(cursor)) break;
    seen.add(cursor);
  } while (seen.size < MOST_PAGES);
  throw new SnugfitError('INVALID_TOOLS', `the server's list of tools never ends: its page ${seen.size} names a cursor that came before.`);
}

function caller(client: McpClientLike, name: string): McpTool['execute'] {
  const callTool = client.callTool.bind(client) as (...args: unknown[]) => Promise<McpResult>;
  // Version 1 takes a schema of the result between; that is how the two are told apart.
  const before = client.callTool.length < 2 ? [undefined] : [];
  return (...args) => {
    const signal = findSignal(args);
    return callTool({ name, arguments: args[0] }, ...before, signal === undefined ? undefined : { signal });
  };
}
