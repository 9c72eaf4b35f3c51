// An MCP server over stdio for soak/proxy.mjs: each answer carries the token of its call in every record, and the process that gave it.
import { createInterface } from 'node:readline';

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

/** What the tool answers. */
export const original = (pid, token, n) =>
  JSON.stringify({ pid, token, records: Array.from({ length: n }, (_, id) => ({ id, token, note: 'a record of a call' })) });

const ANSWERS = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'soak', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'read', inputSchema: { type: 'object' } }] }),
  'tools/call': ({ arguments: { token, n } }) => ({ content: [{ type: 'text', text: original(process.pid, token, n) }] }),
};

if (process.argv[1] === import.meta.filename)
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line);
    // A call takes a moment, so that many are under way when the process dies.
    if (id !== undefined)
      setTimeout(() => send({ id, result: ANSWERS[method]?.(params) ?? {} }), method === 'tools/call' ? Math.random() * 50 : 0);
  }
