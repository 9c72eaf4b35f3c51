import { Ajv, type ValidateFunction } from 'ajv';
import { Bash } from 'just-bash';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  compressTools,
  createExecutableToolBridge,
  planToolsForJustBash,
  shrinkDefinitions,
  transformToolsForCliMode,
  transformToolsForJustBash,
} from '../host/index.ts';
import { SERVERS, connect, toolsOf } from '../scripts/official-servers.mjs';
import { MYPY, callingProgram, functionsIn, mypyErrors, openCode, printed, typeErrors } from './support/code.ts';
import { run, temporaryFolder } from './support/shell.ts';

type Map = Awaited<ReturnType<typeof toolsOf>>;
let clients: Awaited<ReturnType<typeof connect>>[] = [];
let maps: Record<string, Map> = {};
let all: Map = {};
let folder = '';

beforeAll(async () => {
  folder = await temporaryFolder();
  await writeFile(join(folder, 'a.txt'), 'hello');
  clients = await Promise.all(SERVERS.map((server) => connect(server, folder)));
  const found = await Promise.all(clients.map((client) => toolsOf(client)));
  maps = Object.fromEntries(SERVERS.map((server, at) => [server, found[at]!]));
  all = Object.assign({}, ...found) as Map;
}, 60_000);
afterAll(() => Promise.all(clients.map((client) => client.close())));

/** Each entity is made once. */
let made = 0;

/** A call of each server, and what its answer has in it. GitHub's fails for want of a token or a network; that the tool says so is enough. */
const calls = (): [string, string, Record<string, unknown>, string][] => [
  ['everything', 'get-sum', { a: 2, b: -3 }, 'The sum of 2 and -3 is -1'],
  ['filesystem', 'read_text_file', { path: join(folder, 'a.txt') }, 'hello'],
  ['memory', 'create_entities', { entities: [{ name: `Ada ${++made}`, entityType: 'person', observations: ['wrote'] }] }, `Ada ${made}`],
  [
    'sequential-thinking',
    'sequentialthinking',
    { thought: '-x', thoughtNumber: 1, totalThoughts: 1, nextThoughtNeeded: false },
    'thoughtHistoryLength',
  ],
  ['github', 'create_branch', { owner: 'a', repo: 'b', branch: 'c' }, ''],
];

/** An answer as text, be it a result or an error of the tool. */
async function answerOf(call: () => unknown): Promise<string> {
  try {
    return JSON.stringify(await call());
  } catch (thrown) {
    expect(thrown).not.toHaveProperty('code', 'INVALID_INPUT');
    return String(thrown);
  }
}

/** The arguments by which a shell passes an input. */
function flags(input: Record<string, unknown>): string[] {
  return Object.entries(input).map(([name, value]) => `--${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
}

/** Tools that answer with what `answer` makes of their calls. */
function echoes(map: Map, answer: (name: string, input: unknown) => string) {
  return Object.fromEntries(
    Object.entries(map).map(([name, tool]) => [name, { ...tool, execute: async (input: unknown) => answer(name, input) }]),
  );
}

/** The example of each tool's help, and the call that it comes to. */
async function examplesOf(server: string) {
  const seen: { called: string; input: Record<string, unknown> }[] = [];
  const map = maps[server]!;
  const echo = echoes(map, (called, input) => (seen.push({ called, input: input as Record<string, unknown> }), ''));
  const bash = new Bash({ customCommands: planToolsForJustBash(echo, { serverName: server }).registrations });
  const examples: Record<string, (typeof seen)[number] & { example: string }> = {};
  for (const name of Object.keys(map)) {
    const { stdout } = await bash.exec(`${server} ${name} --help`);
    const example = stdout.split('Example:\n')[1]!.trim();
    expect(await bash.exec(example), example).toMatchObject({ exitCode: 0 });
    examples[name] = { example, ...seen.pop()! };
  }
  return examples;
}

describe('the five official servers', () => {
  it('have 63 tools', () => expect(Object.keys(all)).toHaveLength(63));

  it('can be called through a compressed map', async () => {
    const tools = compressTools(all);
    for (const [, tool_name, tool_input, part] of calls()) {
      expect(JSON.parse(await tools.get_tool_schema.execute({ tool_name }))).toMatchObject({ name: tool_name });
      expect(await answerOf(() => tools.invoke_tool.execute({ tool_name, tool_input }))).toContain(part);
    }
  });

  it('can be called by their real tools with smaller definitions', async () => {
    const tools = shrinkDefinitions(all);
    for (const [, name, input, part] of calls()) expect(await answerOf(() => tools[name]!.execute(input))).toContain(part);
  });

  it('can be called through the bridge', async () => {
    const bridge = await createExecutableToolBridge(all, { serverName: 'tools' });
    for (const [, tool, input, part] of calls()) {
      const response = await fetch(`${bridge.bridgeUrl}/exec`, {
        method: 'POST',
        headers: { authorization: `Bearer ${bridge.token}` },
        body: JSON.stringify({ tool, input }),
      });
      expect(await response.text()).toContain(part);
    }
    await bridge.close();
  });

  it('can be called by generated commands', async () => {
    for (const [server, tool, input, part] of calls()) {
      const cli = await transformToolsForCliMode(maps[server]!, { serverName: server, outputDir: await temporaryFolder() });
      const env = { ...process.env, ...cli.environment };
      const ran = await run('/bin/sh', ['-c', `${server} "$@"`, server, tool, ...flags(input)], { env });
      expect(ran.exitCode).toBeLessThan(2);
      expect(ran.stdout + ran.stderr).toContain(part);
      await cli.close();
    }
  });

  it('can be called in just-bash', async () => {
    const bash = new Bash();
    for (const [server, tool, input, part] of calls()) {
      transformToolsForJustBash(maps[server]!, { bash, serverName: server });
      const { stdout, stderr, exitCode } = await bash.exec(`${server} ${tool}`, { args: flags(input) });
      expect(exitCode).toBeLessThan(2);
      expect(stdout + stderr).toContain(part);
    }
  });

  it('have help whose examples are right: each parses to an input that the schema takes', async () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    for (const [server, map] of Object.entries(maps)) {
      for (const [name, { example, called, input }] of Object.entries(await examplesOf(server))) {
        expect(called).toBe(name);
        const validate: ValidateFunction = ajv.compile(map[name]!.inputSchema);
        expect(validate(input), `${example} ${ajv.errorsText(validate.errors)}`).toBe(true);
      }
    }
  });

  it.each(['typescript', 'python'] as const)(
    'become a checked module of functions in %s, each of which arrives',
    async (language) => {
      const examples = Object.assign({}, ...(await Promise.all(SERVERS.map(examplesOf)))) as Awaited<ReturnType<typeof examplesOf>>;
      const { code, folder, exec } = await openCode(
        echoes(all, (name, input) => JSON.stringify({ name, input })),
        language,
      );
      const names = functionsIn(code.tools.shop_help!.description);
      const calls = Object.keys(all).map((name, at) => ({ name: names[at]!, input: examples[name]!.input }));
      const program = callingProgram(language, 'shop', calls);
      expect(printed(await exec(program))).toEqual(Object.keys(all).map((name) => ({ name, input: examples[name]!.input })));
      if (language === 'typescript') expect(typeErrors([join(folder, 'program.ts'), join(folder, 'shop.d.ts')])).toEqual([]);
      else if (MYPY !== undefined) expect(await mypyErrors(folder, ['program.py', 'shop.py'])).toBe('');
      await code.close();
    },
    120_000,
  );

  it.each(['typescript', 'python'] as const)('can be called by generated code in %s', async (language) => {
    for (const [server, tool, input, part] of calls()) {
      const { code, exec } = await openCode(maps[server]!, language, { serverName: 'server' });
      const name = functionsIn(code.tools.server_help!.description)[Object.keys(maps[server]!).indexOf(tool)]!;
      // GitHub's tool fails; what it says is enough.
      const { stdout, stderr } = await exec(
        callingProgram(language, 'server', [{ name, input }]).replaceAll(/json\.loads|JSON\.parse/g, ''),
      );
      expect(stdout + stderr).toContain(part);
      expect(stdout + stderr).toMatch(server === 'github' ? /ToolError/ : /^\[/);
      await code.close();
    }
  });

  it('cost as many tokens as they may', () => {
    const tokens = (...tools: object[]) =>
      encode(
        JSON.stringify(
          tools.flatMap((map) =>
            Object.entries(map as Record<string, { description: string; inputSchema: { jsonSchema?: object } }>).map(
              ([name, { description, inputSchema }]) => ({ name, description, inputSchema: inputSchema.jsonSchema ?? inputSchema }),
            ),
          ),
        ),
      ).length;
    const raw = tokens(all);
    const level = (compressionLevel: 'low' | 'medium' | 'high' | 'max') => tokens(compressTools(all, { compressionLevel }));
    const least = {
      rules: [tokens(shrinkDefinitions(all)), 0.25],
      low: [level('low'), 0.63],
      medium: [level('medium'), 0.78],
      high: [level('high'), 0.86],
      max: [level('max'), 0.96],
      sentences: [tokens(...Object.entries(maps).map(([serverName, map]) => planToolsForJustBash(map, { serverName }).tools)), 0.85],
      names: [tokens(planToolsForJustBash(all, { serverName: 'tools' }).tools), 0.95],
    } as const;
    for (const [name, [count, saving]] of Object.entries(least)) expect(count, `${name} of ${raw}`).toBeLessThanOrEqual(raw * (1 - saving));
  });
});
