import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, test } from 'vitest';

interface Entry {
  type?: string;
  command: string;
  args: string[];
}

const root = fileURLToPath(new URL('..', import.meta.url));
const page = readFileSync(join(root, 'docs/proxy-clients.md'), 'utf8');

/** The blocks of a language in the section of a client. */
function blocks(client: string, language: string): string[] {
  const section = page.split(`\n## ${client}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(([, code = '']) => code);
}

/** What the page has a client start. */
function entryOf(client: string, key: 'mcpServers' | 'servers'): Entry {
  const [json = '{}'] = blocks(client, 'json');
  return (JSON.parse(json) as Record<typeof key, { files: Entry }>)[key].files;
}

const SERVER = '@modelcontextprotocol/server-filesystem';
const START = ['-y', 'snugfit', 'proxy', '--', 'npx', '-y', SERVER];

describe('docs/proxy-clients.md', () => {
  test.each([
    ['Claude Code', 'mcpServers', {}],
    ['Claude Desktop', 'mcpServers', {}],
    ['Cursor', 'mcpServers', {}],
    ['VS Code', 'servers', { type: 'stdio' }],
    ['Gemini CLI', 'mcpServers', {}],
  ] as const)('has the form of %s', (client, key, more) => {
    const { args, ...entry } = entryOf(client, key);
    expect(entry).toEqual({ command: 'npx', ...more });
    expect(args.slice(0, -1)).toEqual(START);
  });

  test('has the form of Codex', () => {
    const [toml = ''] = blocks('Codex', 'toml');
    const args = `[${[...START, '/path/to/project'].map((arg) => JSON.stringify(arg)).join(', ')}]`;
    expect(toml).toBe(`[mcp_servers.files]\ncommand = "npx"\nargs = ${args}\nstartup_timeout_sec = 30\n`);
  });

  test.each([
    ['Claude Code', 'claude'],
    ['Codex', 'codex'],
  ])('has the command of %s', (client, command) => {
    expect(blocks(client, 'sh')).toEqual([`${command} mcp add files -- npx ${START.join(' ')} /path/to/project\n`]);
  });

  test('says what works', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'snugfit-clients-'));
    const server = createRequire(import.meta.url).resolve(`${SERVER}/package.json`);
    await writeFile(join(folder, 'long.txt'), 'one of many lines\n'.repeat(20_000));
    // npx would load what is here already.
    const { args } = entryOf('Claude Code', 'mcpServers');
    const here: Record<string, string[]> = {
      snugfit: [join(root, 'bin/snugfit.js')],
      [SERVER]: [process.execPath, join(dirname(server), 'dist/index.js')],
    };
    const own = args.filter((arg) => arg !== '-y' && arg !== 'npx').flatMap((arg) => here[arg] ?? arg.replace('/path/to/project', folder));
    const client = new Client({ name: 'claude-code', version: '1.0.0' });
    try {
      await client.connect(new StdioClientTransport({ command: process.execPath, args: own, stderr: 'ignore' }));
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['read_text_file', 'compressor_recover_response']));
      const { content } = await client.callTool({ name: 'read_text_file', arguments: { path: join(folder, 'long.txt') } });
      const text = (content as { text: string }[]).map((block) => block.text).join('');
      expect(text.length).toBeLessThanOrEqual(50_000);
      expect(text).toContain('compressor_recover_response');
    } finally {
      await client.close();
      await rm(folder, { recursive: true });
    }
  });
});
