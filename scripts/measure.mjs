// What each surface costs a model, in tokens (o200k_base) of the definitions that it is sent, over the five official MCP servers.
//
//   npm run measure          (after a build)
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { compressTools, planToolsForJustBash, shrinkDefinitions, transformToolsForCodeMode } from 'snugfit';
import { SERVERS, connect, toolsOf } from './official-servers.mjs';

const folder = await mkdtemp(join(tmpdir(), 'snugfit-measure-'));
const clients = await Promise.all(SERVERS.map((server) => connect(server, folder)));
try {
  const maps = await Promise.all(clients.map((client) => toolsOf(client)));
  const all = Object.assign({}, ...maps);
  const raw = tokens([all]);
  const rows = [
    ['raw: name, description, input schema', raw],
    ['rules (shrinkDefinitions)', tokens([shrinkDefinitions(all)])],
    ...['low', 'medium', 'high', 'max'].map((level) => [
      `${level} (compressTools)`,
      tokens([compressTools(all, { compressionLevel: level })]),
    ]),
    ['one command a server, first sentences', tokens(maps.map((map, at) => planToolsForJustBash(map, { serverName: SERVERS[at] }).tools))],
    ['one command for all, names only', tokens([planToolsForJustBash(all, { serverName: 'tools' }).tools])],
    ['one module a server in TypeScript, first sentences', tokens(await Promise.all(maps.map((map, at) => help(map, SERVERS[at]))))],
    ['one module for all in TypeScript, names only', tokens([await help(all, 'tools')])],
  ];
  console.log(`${Object.keys(all).length} tools of ${SERVERS.length} servers; tokens of what a model is sent (o200k_base)\n`);
  console.log('| surface | tokens | against raw |\n| --- | ---: | ---: |');
  for (const [name, count] of rows) console.log(`| ${name} | ${count.toLocaleString('en')} | ${percent(count / raw - 1)} |`);
} finally {
  await Promise.all(clients.map((client) => client.close()));
  await rm(folder, { recursive: true });
}

/** What a model sees of a generated module. */
async function help(map, serverName) {
  const code = await transformToolsForCodeMode(map, { serverName, language: 'typescript' });
  await code.close();
  return code.tools;
}

function tokens(maps) {
  const definitions = maps.flatMap((map) =>
    Object.entries(map).map(([name, { description, inputSchema }]) => ({
      name,
      description,
      inputSchema: inputSchema.jsonSchema ?? inputSchema,
    })),
  );
  return encode(JSON.stringify(definitions)).length;
}

function percent(change) {
  return change === 0 ? '' : `${change > 0 ? '+' : '−'}${Math.abs(change * 100).toFixed(1)} %`;
}
