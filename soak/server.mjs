// An MCP server over stdio for soak/proxy.mjs: each answer carries the token of its call in every record, and now and then the process dies.
import { createInterface } from 'node:readline';

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const records = (token, n) =>
  JSON.stringify({ token, records: Array.from({ length: n }, (_, id) => ({ id, token, note: 'a record of a call' })) });

const ANSWERS = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'soak', version: '1' } }),
  'tools/list': () => ({ tools: ['read', 'die'].map((name) => ({ name, inputSchema: { type: 'object' } })) }),
  'tools/call': ({ name, arguments: { token, n } }) =>
    name === 'die' ? process.exit(1) : { content: [{ type: 'text', text: records(token, n) }] },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  // A call takes a moment, so that many are under way when the process dies.
  if (id !== undefined)
    setTimeout(() => send({ id, result: ANSWERS[method]?.(params) ?? {} }), method === 'tools/call' ? Math.random() * 50 : 0);
}
