import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { SERVERS, connect as directly } from '../../scripts/official-servers.mjs';
import { temporaryFolder } from '../support/shell.ts';
import { BINARY, connect, official, scripted, several } from './support.ts';

interface Size {
  bytes: number;
  tokens: number;
}
type Row = { name: string; tools: number } & Record<'raw' | 'listed' | 'rules' | 'low' | 'medium' | 'high' | 'max', Size>;

function measure(args: string[]): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    execFile(BINARY, ['measure', '--json', ...args], (error, out) =>
      error === null ? resolve(JSON.parse(out) as Row[]) : reject(new Error(error.message)),
    );
  });
}

/** The bytes of what a model sees of the tools that the proxy lists. */
async function listed(args: string[]): Promise<number> {
  const { client } = await connect(args);
  const { tools } = await client.listTools();
  const seen = tools.map(({ name, description, inputSchema }) => JSON.stringify({ name, description, inputSchema }).length);
  return seen.reduce((sum, size) => sum + size, 0) + seen.length + 1;
}

describe('snugfit measure', () => {
  const servers = { one: scripted('--name', 'one', '--tools', '20'), two: scripted('--name', 'two') };

  test.each([
    ['names, rules and the recovery tool', {}],
    ['filters', { filters: { allow: ['one.*'], deny: ['one.b*'] } }],
    ['compression', { list: { compression: 'low' } }],
    ['definitions that are off', { list: { definitions: 'off' } }],
    ['names of the user', { names: { separator: '-', prefix: 'always' } }],
    ['pages', { results: { mode: 'page' } }],
  ])('says what the proxy lists: %s', async (_, rest) => {
    const args = several(servers, rest);
    const rows = await measure(args);
    expect(rows.map(({ name }) => name)).toEqual(['one', 'two', 'all']);
    expect(rows[2]!.listed.bytes).toBe(await listed(args));
  });

  test('says what a level would list, whatever is configured', async () => {
    const [, , all] = await measure(several(servers));
    for (const level of ['low', 'max'] as const) {
      expect(all![level].bytes).toBe(await listed(several(servers, { list: { compression: level } })));
    }
    expect(all!.rules).toEqual(all!.listed);
  });

  test('tells what the five official servers cost, each and together', { timeout: 120_000 }, async ({ skip }) => {
    const folder = await temporaryFolder();
    const commands = Object.fromEntries(SERVERS.map((name) => [name, official(name, ...(name === 'filesystem' ? [folder] : []))]));
    for (const [, script] of Object.values(commands)) if (!existsSync(script!)) skip(`${script!} is not installed`);
    const rows = await measure(several(commands));
    expect(rows.map(({ name }) => name)).toEqual([...SERVERS, 'all']);
    // What the server says, asked without us and counted by somebody else.
    for (const [at, name] of SERVERS.entries()) {
      const client = await directly(name, folder);
      const { tools } = await client.listTools();
      await client.close();
      const seen = JSON.stringify(tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })));
      expect(rows[at], name).toMatchObject({ tools: tools.length, raw: { bytes: Buffer.byteLength(seen) } });
      expect(Math.abs(rows[at]!.raw.tokens - encode(seen).length) / rows[at]!.raw.tokens, name).toBeLessThan(0.01);
    }
    const all = rows.at(-1)!;
    expect(all.tools).toBe(63);
    const costs = [all.raw, all.rules, all.low, all.medium, all.high, all.max].map(({ tokens }) => tokens);
    expect(costs).toEqual([...costs].sort((a, b) => b - a));
    expect(costs.at(-1)!).toBeLessThan(costs[0]! / 8);
  });

  test.each([
    ['no configuration', [], /^error: there is no configuration in \S+ or above it .*`snugfit init` writes one, --config FILE names one$/m],
    ['no server', ['--config', '{}'], /^error: there is no server in --config: name some under `servers`$/m],
  ])('says what is missing where there is %s', async (_, args, said) => {
    const { status, stdout, stderr } = spawnSync(BINARY, ['measure', ...args], { cwd: await temporaryFolder(), encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(said);
  });
});
