// The five official MCP servers whose tools the tests and `npm run measure` use, started over stdio through the official client.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

export const SERVERS = ['everything', 'filesystem', 'memory', 'sequential-thinking', 'github'];

/**
 * Starts a server; the caller closes the client.
 *
 * @param {string} server one of SERVERS
 * @param {string} folder where the filesystem and memory servers work
 * @returns {Promise<Client>}
 */
export async function connect(server, folder) {
  const manifest = createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${server}/package.json`);
  const client = new Client({ name: 'snugfit', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(dirname(manifest), 'dist/index.js'), ...(server === 'filesystem' ? [folder] : [])],
      env: { PATH: process.env.PATH ?? '', MEMORY_FILE_PATH: join(folder, 'memory.jsonl') },
      stderr: 'ignore',
    }),
  );
  return client;
}

/**
 * The tools of a client as a map that snugfit takes.
 *
 * @param {Client} client
 * @param {string} prefix what stands before each name
 */
export async function toolsOf(client, prefix = '') {
  const { tools } = await client.listTools();
  return Object.fromEntries(
    tools.map(({ name, ...tool }) => {
      /** @param {Record<string, unknown>} input */
      const execute = (input) => client.callTool({ name, arguments: input });
      return [`${prefix}${name}`, { ...tool, description: tool.description ?? '', execute }];
    }),
  );
}
