// The main job on real input: the official filesystem server, over stdio, through the official MCP client, on a real folder.
// Its two largest answers come back within the budget, and their originals come back whole. Exit 1 if any of that does not hold.
//
//   node examples/demo.mjs          (after a build; `make demo` does everything)
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { shrinkfitTools } from 'snugfit';
import { makeFolder } from './demo-folder.mjs';

const BUDGET = 6000;

const { path: folder, files, logBytes } = await makeFolder();
const client = new Client({ name: 'snugfit-demo', version: '1.0.0' });
try {
  await client.connect(filesystemServer(folder));
  const { tools: listed } = await client.listTools();
  console.log(
    `${client.getServerVersion()?.name} over stdio: ${listed.length} tools, on ${count(files)} files and a log of ${count(logBytes)} bytes`,
  );

  // Any map of { description, inputSchema, execute } will do; this one also remembers what each tool really returned.
  const returned = new Map();
  const bare = Object.fromEntries(
    listed.map(({ name, description, inputSchema }) => {
      const execute = async (input) => {
        const result = await client.callTool({ name, arguments: input });
        returned.set(name, result);
        return result;
      };
      return [name, { description, inputSchema, execute }];
    }),
  );

  const events = [];
  // This server repeats its texts as structured content; a model that is shown the whole result reads that as well, so that it counts.
  const { tools, close } = shrinkfitTools(bare, { shrinkfit: BUDGET, structured: 'auto', onFit: (event) => events.push(event) });
  const calls = [
    ['directory_tree', { path: folder }],
    ['read_text_file', { path: join(folder, 'logs', 'gateway.log') }],
  ];
  for (const [name, input] of calls) {
    const preview = await tools[name].execute(input);
    const original = returned.get(name);
    show(name, original, preview, events.at(-1));
    await checkRecovery(tools, original, events.at(-1).responseId);
  }
  close();
} finally {
  await client.close();
  await rm(folder, { recursive: true });
}

function filesystemServer(folder) {
  const server = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/dist/index.js');
  return new StdioClientTransport({ command: process.execPath, args: [server, folder], stderr: 'ignore' });
}

function show(name, original, preview, event) {
  const before = characters(original);
  const after = characters(preview);
  const { inputChars, omitted, ...counters } = event.report;
  console.log(`\n━━ ${name} ${'━'.repeat(100 - name.length)}`);
  console.log(textOf(preview));
  console.log('─'.repeat(104));
  console.log(
    `size     ${count(before)} characters in, ${count(after)} out (budget ${count(BUDGET)}), ${(before / after).toFixed(0)} to 1`,
  );
  console.log(`time     ${event.ms.toFixed(1)} ms from the tool's result to the preview`);
  console.log(`report   ${JSON.stringify(counters)}`);
  for (const { path, lines, items, chars } of omitted.slice(0, 5)) {
    console.log(`omitted  ${path ?? `lines ${lines}`}: ${items === undefined ? `${count(chars)} characters` : count(items)}`);
  }
  expect(inputChars === before, `the report counts ${inputChars} characters of input`);
  expect(after <= BUDGET, `the preview has ${after} characters`);
  expect(preview.structuredContent === undefined, 'the preview repeats the text');
  expect(before > 10 * BUDGET, `${name} returned ${before} characters, too few to show anything`);
}

/** The tool is not asked again: the original comes out of the store, the whole envelope as JSON. */
async function checkRecovery(tools, original, id) {
  const started = performance.now();
  const recovered = await tools.compressor_recover_response.execute({ response_id: id });
  const ms = performance.now() - started;
  const same = isDeepStrictEqual(JSON.parse(recovered), original);
  expect(same, `what ${id} recovers is not what the tool returned`);
  console.log(
    `recover  ${id}: ${count(recovered.length)} characters of envelope in ${ms.toFixed(1)} ms, identical to what the tool returned`,
  );
}

function expect(holds, otherwise) {
  if (!holds) throw new Error(otherwise);
}

function textOf({ content }) {
  return content.map((block) => block.text).join('\n');
}

/** Unicode characters of an envelope's text blocks: what the budget counts. */
function characters({ content }) {
  return content.reduce((sum, block) => sum + [...block.text].length, 0);
}

function count(n) {
  return n.toLocaleString('en-US');
}
