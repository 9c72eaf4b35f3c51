/**
 * In-process sessions with MCP servers: their tools as one map, within a budget and compressed, without a proxy.
 *
 * @packageDocumentation
 */
import type { McpTool } from './adapters/mcp.ts';
import { fromMcpClient } from './adapters/mcp.ts';
import { importPeer } from './adapters/peer.ts';
import { checkKeys, oneOf, text, texts } from './check.ts';
import { withFields } from './clone.ts';
import { type CliMode, transformToolsForCliMode } from './cli.ts';
import { type CodeLanguage, type CodeMode, transformToolsForCodeMode } from './code.ts';
import { type CompressionLevel, compressTools } from './compress.ts';
import { SnugfitError, messagesOf } from './errors.ts';
import { type JustBash, type JustBashPlan, transformToolsForJustBash } from './just-bash.ts';
import { type Mode, SHRINKFIT_OPTIONS, type ShrinkfitOptions } from './options.ts';
import { glob } from './per-tool.ts';
import { type Server, type Servers, closeTransport, openTransport, parseServers, placeOf } from './servers.ts';
import { shrinkfitTools } from './shrinkfit-tools.ts';
import { lastOf } from './stream.ts';
import { suggest } from './suggest.ts';
import { validInput } from './tool-schema.ts';
import { type RunnableTool, addTool, mapTools, runnableTools } from './tool.ts';
import { type Toonify, parseToonify, toonified } from './toonify.ts';

export type { HeaderProvider, HttpServer, Server, Servers, StdioServer } from './servers.ts';

/** What a model is given of a session's tools. */
export type ClientMode = 'tools' | 'compressed' | 'cli';

/** Options of {@link CompressorClient}; those of `shrinkfitTools` count where `shrinkfit` is given. */
export interface ClientOptions extends Omit<ShrinkfitOptions, 'mode'> {
  /** The servers: a URL, one server, a map of servers by name, or the JSON of an `mcpServers` file. */
  servers: Servers;
  /**
   * What a model is given: `tools`, as they are; `compressed`, as `compressTools` lists them; `cli`, the help of one command, whose client
   * `writeClient` writes. The words of `shrinkfitTools`, `condense`, `page` and `trim`, say what becomes of a result over the budget.
   * @default 'compressed' with a compressionLevel, else 'tools'
   */
  mode?: ClientMode | Mode | undefined;
  /**
   * How much of each tool is listed when they are compressed.
   * @default 'medium'
   */
  compressionLevel?: CompressionLevel | undefined;
  /**
   * Results that are JSON come back as TOON, or with `csv` as CSV where they are plain tables, if that is shorter. Without effect with
   * `shrinkfit`.
   * @default false
   */
  toonify?: Toonify | undefined;
  /** Only tools whose names match one of these are there; `*` stands for any characters, `?` for one. */
  includeTools?: readonly string[] | undefined;
  /** Tools whose names match one of these are not there. */
  excludeTools?: readonly string[] | undefined;
}

/** A connected session. */
export interface ClientSession {
  /** What a model is given: for several servers each name has the server's before it, as in `github_search`. */
  tools: Record<string, RunnableTool>;
  /**
   * Calls a tool by its name in {@link tools}, or by its name on a `server`. With `full` the complete result comes back, whatever its size.
   * Rejects with `UNKNOWN_TOOL`, `INVALID_INPUT`, or what the call rejects with.
   */
  invoke: (name: string, input?: object, options?: InvokeOptions) => Promise<unknown>;
  /**
   * Writes a client of the tools into a folder, for an agent that works in a shell (`cli`) or writes programs; the only call that writes
   * files.
   */
  writeClient: WriteClient;
  /** Registers the tools as a command of a `Bash` of the package just-bash. */
  justBash: (bash: JustBash) => JustBashPlan;
  /** Ends the connections, and forgets every original. Twice is fine. */
  close: () => Promise<void>;
  /** As {@link close}, for `await using`. */
  [Symbol.asyncDispose]: () => Promise<void>;
}

/** {@link ClientSession.writeClient}. */
export interface WriteClient {
  (kind: 'cli', folder: string): Promise<CliMode>;
  (kind: CodeLanguage, folder: string): Promise<CodeMode>;
}

/** Options of {@link ClientSession.invoke}. */
export interface InvokeOptions {
  /** The server that has a tool of this name. */
  server?: string | undefined;
  /** The complete result. */
  full?: boolean | undefined;
}

const OWN = ['servers', 'compressionLevel', 'toonify', 'includeTools', 'excludeTools'];
const CLIENT_MODES = ['tools', 'compressed', 'cli'] as const;
const MODES = ['condense', 'page', 'trim'] as const;
const SERVER_NAME = 'tools';

/**
 * A client of MCP servers, built on the official MCP client.
 *
 * @example
 * ```ts
 * const session = await new CompressorClient({ servers: 'http://localhost:8080/mcp', shrinkfit: 6000 }).connect();
 * const preview = await session.invoke('search', { q: 'login crash' });
 * await session.close();
 * ```
 */
export class CompressorClient {
  readonly #options: ClientOptions;
  readonly #servers: Map<string, Server>;

  /** Throws `INVALID_OPTION`; nothing is connected yet. */
  constructor(options: ClientOptions) {
    checkKeys('options', options, [...OWN, ...SHRINKFIT_OPTIONS]);
    this.#servers = parseServers(options.servers);
    for (const name of ['includeTools', 'excludeTools'] as const) if (options[name] !== undefined) texts(name, options[name]);
    if (options.mode !== undefined) oneOf('mode', options.mode, [...CLIENT_MODES, ...MODES]);
    parseToonify(options.toonify);
    this.#options = options;
  }

  /**
   * Connects to every server and reads its tools. If one fails, the others are closed again.
   *
   * Rejects with `PEER_MISSING` without `@modelcontextprotocol/client`, and with `SERVER_FAILED`, whose `cause` is what the MCP client says.
   */
  async connect(): Promise<ClientSession> {
    const { Client } = await importPeer('@modelcontextprotocol/client', 'snugfit/client', () => import('@modelcontextprotocol/client'));
    const open: (() => Promise<void>)[] = [];
    const closeAll = async () => {
      await Promise.allSettled(open.splice(0).map((close) => close()));
    };
    try {
      const full = {};
      for (const [server, where] of this.#servers) {
        const client = new Client({ name: 'snugfit', version: '0.1.0' });
        const transport = await openTransport(where);
        open.push(() => closeTransport(client, transport));
        this.#add(
          full,
          server,
          await client
            .connect(transport)
            .then(() => fromMcpClient(client))
            .catch(serverFailed(server, where)),
        );
      }
      return await this.#session(full, closeAll);
    } catch (thrown) {
      await closeAll();
      throw thrown;
    }
  }

  #add(map: object, server: string, tools: Record<string, McpTool>): void {
    const { includeTools = ['*'], excludeTools = [] } = this.#options;
    const [included, excluded] = [includeTools.map(glob), excludeTools.map(glob)];
    for (const [name, tool] of Object.entries(tools)) {
      const listed = this.#nameOf(server, name);
      const matches = (pattern: (name: string) => boolean) => pattern(name) || pattern(listed);
      if (included.some(matches) && !excluded.some(matches)) addTool(map, listed, tool);
    }
  }

  /** The name of a server's tool in the session's map. */
  #nameOf(server: string, tool: string): string {
    return this.#servers.size > 1 ? `${server}_${tool}` : tool;
  }

  async #session(full: object, closeAll: () => Promise<void>): Promise<ClientSession> {
    const { compressionLevel, mode } = this.#options;
    const seen = CLIENT_MODES.find((known) => known === mode) ?? (compressionLevel === undefined ? 'tools' : 'compressed');
    const shrinkfit = this.#fitOptions();
    const fitted = shrinkfitTools(this.#rendered(full), shrinkfit);
    const [complete, shortened] = [runnableTools(full), runnableTools(fitted.tools)];
    const opened: { close: () => unknown }[] = [];
    const close = async () => {
      for (const mode of opened.splice(0)) await mode.close();
      fitted.close();
      await closeAll();
    };
    let tools: object = fitted.tools;
    if (seen === 'cli') {
      const cli = await transformToolsForCliMode(tools, { serverName: this.#serverName() });
      opened.push(cli);
      tools = cli.tools;
    } else if (seen === 'compressed') tools = compressTools(tools, { compressionLevel });
    return {
      tools: tools as Record<string, RunnableTool>,
      invoke: async (name, input = {}, { server, full: whole = false } = {}) => {
        const listed = server === undefined ? name : this.#nameOf(server, name);
        const tool = (whole ? complete.get(listed) : undefined) ?? shortened.get(listed);
        if (tool === undefined) throw unknownTool(listed, [...shortened.keys()].map(String));
        return lastOf(Reflect.apply(tool.execute, tool, [await validInput(listed, tool, input)]));
      },
      writeClient: (async (kind: 'cli' | CodeLanguage, folder: string) => {
        oneOf('kind', kind, ['cli', 'typescript', 'python']);
        const options = { serverName: this.#serverName(), outputDir: text('folder', folder) };
        const mode = await (kind === 'cli'
          ? transformToolsForCliMode(fitted.tools, options)
          : transformToolsForCodeMode(fitted.tools, { ...options, language: kind }));
        opened.push(mode);
        return mode;
      }) as WriteClient,
      justBash: (bash) => {
        const plan = transformToolsForJustBash(fitted.tools, { bash, serverName: this.#serverName() });
        opened.push(plan);
        return plan;
      },
      close,
      [Symbol.asyncDispose]: close,
    };
  }

  /** The options of `shrinkfitTools`. */
  #fitOptions(): ShrinkfitOptions {
    const given = Object.entries(this.#options).filter(
      ([name, value]) => !OWN.includes(name) && !CLIENT_MODES.includes(value as ClientMode),
    );
    return Object.fromEntries(given);
  }

  /** The tools with their results as TOON, if that is wanted: not where they are fitted, since notices are JSON. */
  #rendered(tools: object): object {
    const { toonify = false, shrinkfit } = this.#options;
    if (toonify === false || shrinkfit !== undefined) return tools;
    return mapTools(tools, (_, tool) => {
      const { execute } = tool as McpTool;
      return withFields(tool as McpTool, {
        execute: async (...args: Parameters<typeof execute>) => toonified(await execute(...args), toonify),
      });
    });
  }

  #serverName(): string {
    const [only, ...others] = this.#servers.keys();
    return only === undefined || others.length > 0 ? SERVER_NAME : only;
  }
}

/** Says which server it was. */
function serverFailed(name: string, server: Server): (thrown: unknown) => never {
  return (thrown) => {
    const message = `no connection to the server ${JSON.stringify(name)} (${placeOf(server)}): ${messagesOf(thrown)}`;
    throw new SnugfitError('SERVER_FAILED', message, { cause: thrown });
  };
}

function unknownTool(name: string, known: string[]): SnugfitError {
  const meant = suggest(name, known);
  const hint = meant === undefined ? `there are ${known.join(', ')}` : `did you mean ${meant}?`;
  return new SnugfitError('UNKNOWN_TOOL', `there is no tool ${JSON.stringify(name)}: ${hint}`);
}
