import { execFile } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { BINARY, connect, scripted, several } from './support.ts';

interface Size {
  bytes: number;
  tokens: number;
}
type Row = { name: string } & Record<'listed' | 'rules' | 'low' | 'max', Size>;

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
});
