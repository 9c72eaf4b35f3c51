// Runs the official conformance suite against the fixture of the tests and an official server, each directly and through the proxy, and
// writes docs/conformance.md. It needs Node 22 and the suite; `.ci/run` puts both under target/.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { platformName } from '../bin/platform.js';

/** @type {(file: string) => string} */
const path = (file) => fileURLToPath(new URL(`../${file}`, import.meta.url));

/** What must be there beside the project itself. */
export const NODE_22 = path(`target/node-22/node_modules/node-${process.platform}-${process.arch}/bin/node`);
export const SUITE = path('target/clients/node_modules/@modelcontextprotocol/conformance/dist/index.js');
export const PAGE = path('docs/conformance.md');

const BINARY = path(`npm/${platformName()}/bin/snugfit`);
const FIXTURE = [process.execPath, path('__test__/conformance/server.mjs')];
const EVERYTHING = [process.execPath, path('node_modules/@modelcontextprotocol/server-everything/dist/index.js'), 'streamableHttp'];

/**
 * A program that is ended when whoever asked for it is done.
 *
 * @typedef {{ url: string, end: () => Promise<void> }} Server
 */

/** @type {Record<string, { what: string, start: () => Promise<Server[]> }>} The last server is the one to test. */
export const WAYS = {
  direct: { what: 'the fixture, directly', start: async () => [await fixture()] },
  stdio: { what: 'through the proxy, `sessions: stateful`, the fixture over stdio', start: async () => [await proxy('stateful', FIXTURE)] },
  http: { what: 'through the proxy, `sessions: stateful`, the fixture over HTTP', start: () => before(fixture, 'stateful') },
  stateless: { what: 'through the proxy, `sessions: stateless`', start: () => before(fixture, 'stateless') },
  everything: { what: '`server-everything`, directly', start: async () => [await everything()] },
  'everything proxied': {
    what: '`server-everything` through the proxy, `sessions: stateful`',
    start: () => before(everything, 'stateful'),
  },
};

/**
 * How a scenario went, in the order of the suite. One with a warning has not passed, as in the suite's own baselines.
 *
 * @typedef {Map<string, { passed: boolean, why: string[] }>} Outcome
 */

/** @type {(way: string) => Promise<Outcome>} */
export async function run(way) {
  const servers = (await WAYS[way]?.start()) ?? [];
  const folder = await mkdtemp(join(tmpdir(), 'snugfit-conformance-'));
  try {
    const tested = servers.at(-1)?.url ?? '';
    // It exits with 1 where a scenario failed, which is what the results are read for.
    const suite = promisify(execFile)(NODE_22, [SUITE, 'server', '--suite', 'all', '--url', tested, '--output-dir', folder]);
    await suite.catch(() => undefined);
    return await outcome(folder);
  } finally {
    for (const server of servers.reverse()) await server.end();
    await rm(folder, { recursive: true });
  }
}

/** @type {(folder: string) => Promise<Outcome>} */
async function outcome(folder) {
  const { stdout } = await promisify(execFile)(NODE_22, [SUITE, 'list', '--server']);
  const results = await readdir(folder);
  /** @type {Outcome} */
  const all = new Map();
  for (const [, scenario = ''] of stdout.matchAll(/^ {2}- (\S+)/gm)) {
    const result = results.find((name) => name.replace(/-\d{4}-\d\d-\d\dT.*/, '') === `server-${scenario}`) ?? '';
    /** @type {{ status: string, name: string, errorMessage?: string }[]} */
    const checks = JSON.parse(await readFile(join(folder, result, 'checks.json'), 'utf8'));
    const bad = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
    all.set(scenario, { passed: bad.length === 0, why: bad.map(({ name, errorMessage }) => `${name}: ${errorMessage ?? ''}`) });
  }
  return all;
}

/** The page that says how it went. */
/** @type {(outcomes: Map<string, Outcome>) => string} */
export function page(outcomes) {
  const columns = [...outcomes.values()];
  const scenarios = [...(columns[0]?.keys() ?? [])];
  /** @type {(...cells: string[]) => string} */
  const row = (...cells) => `| ${cells.join(' | ')} |`;
  const count = columns.map((column) => `**${[...column.values()].filter(({ passed }) => passed).length} of ${column.size}**`);
  return `# Conformance

How servers do in the server scenarios of the official conformance suite (\`@modelcontextprotocol/conformance\`), directly and through
\`snugfit proxy\` over Streamable HTTP. \`node scripts/conformance.mjs\` writes this page; a test runs the suite and compares.

${[...outcomes.keys()].map((way, at) => `${at + 1}. ${WAYS[way]?.what}`).join('\n')}

The fixture (\`__test__/conformance\`) has the tools, prompts and resources that the scenarios ask for. Of the proxy's settings
\`list.keepDialect\` alone differs from the defaults: by default a schema's \`$schema\` is left out where it names the usual dialect.

Clients without a session share their servers, so that nobody can be asked for a sample or an input, log levels and subscriptions belong to
nobody, and there is no stream to take up again: these scenarios need \`sessions: stateful\`. \`server-everything\` fails those
that ask for tools, prompts and resources that it does not have.

The suite counts \`json-schema-2020-12\` and \`server-sse-polling\` as pending, all others as active. The latter warns of a server made with the
SDK, which sends no event to take a stream up by to clients of the revision that the scenario names.

${row('scenario', ...columns.map((_, at) => String(at + 1)))}
${row('---', ...columns.map(() => '---'))}
${scenarios.map((scenario) => row(scenario, ...columns.map((column) => (column.get(scenario)?.passed ? 'yes' : 'no')))).join('\n')}
${row('passed', ...count)}
`;
}

const fixture = () => started([...FIXTURE, 'http'], {}, (line) => line);

async function everything() {
  const port = await freePort();
  return started(EVERYTHING, { PORT: String(port) }, (line) => (line.includes('listening') ? `http://127.0.0.1:${port}/mcp` : undefined));
}

/** @type {(server: () => Promise<Server>, sessions: string) => Promise<Server[]>} */
async function before(server, sessions) {
  const upstream = await server();
  return [upstream, await proxy(sessions, upstream.url)];
}

/** @type {(sessions: string, server: string | string[]) => Promise<Server>} */
function proxy(sessions, server) {
  const config = {
    servers: { one: typeof server === 'string' ? { url: server } : { command: server } },
    list: { keepDialect: true },
    inbound: { stdio: false, http: { enabled: true, port: 0, sessions } },
  };
  return started([BINARY, 'proxy', '--config', JSON.stringify(config)], {}, (line) => /listening on (\S+)/.exec(line)?.[1]);
}

/** Starts a program, which says on stdout or stderr where it listens. */
/** @type {(command: string[], env: object, url: (line: string) => string | undefined) => Promise<Server>} */
async function started([program = '', ...args], env, url) {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  const end = async () => {
    child.kill();
    await ended;
  };
  /** @type {Promise<string>} */
  const found = new Promise((resolve) => {
    for (const input of [child.stdout, child.stderr]) {
      createInterface({ input }).on('line', (line) => {
        const at = url(line);
        if (at !== undefined) resolve(at);
      });
    }
  });
  return { url: await Promise.race([found, ended.then(([code]) => Promise.reject(new Error(`${program} ended with ${code}`)))]), end };
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  await new Promise((resolve) => server.close(resolve));
  return port;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const needed of [NODE_22, SUITE]) if (!existsSync(needed)) throw new Error(`${needed} is not there: see .ci/run`);
  /** @type {Map<string, Outcome>} */
  const outcomes = new Map();
  for (const way of Object.keys(WAYS)) {
    const outcome = await run(way);
    outcomes.set(way, outcome);
    for (const [scenario, { passed, why }] of outcome) if (!passed) console.log(`${way}: ${scenario}: ${why.join('; ')}`);
  }
  await writeFile(PAGE, page(outcomes));
}
