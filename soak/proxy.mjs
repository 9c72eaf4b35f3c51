// Clients over HTTP, each with servers of its own behind one proxy, and servers that die in the middle of calls. Every call must have an answer, its own;
// an answer may be an error only where a server died. Originals are read back and compared.
//
//   node soak/proxy.mjs [--seconds 300] [--clients 6]
//
// Prints one JSON object; exits with 1 where something does not hold.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { platformName } from '../bin/platform.js';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '300' }, clients: { type: 'string', default: '6' } } });
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'snugfit-soak-'));
const servers = ['a', 'b', 'c'];
/** Calls of a client that are under way at the same time. */
const LANES = 4;
/** An answer that takes longer is lost. */
const PATIENCE = 60_000;
/** What the proxy may grow by after the first tenth of the time. */
const GROWTH = 64e6;

writeFileSync(
  join(folder, 'snugfit.config.json'),
  JSON.stringify({
    servers: Object.fromEntries(servers.map((name) => [name, { command: process.execPath, args: [join(root, 'soak/server.mjs')] }])),
    inbound: { stdio: false, http: { enabled: true, port: 0 } },
    results: { budget: { chars: 2000 } },
    store: { entries: 64 },
  }),
);
const proxy = spawn(join(root, 'npm', platformName(), 'bin/snugfit'), ['--config', join(folder, 'snugfit.config.json')], {
  stdio: ['ignore', 'ignore', 'pipe'],
});
let said = '';
proxy.stderr.setEncoding('utf8').on('data', (text) => (said = (said + text).slice(-10_000)));

const faults = [];
const count = { calls: 0, answers: 0, recovered: 0, ended: 0, deaths: 0 };
let [serial, stopped] = [0, false];
const fault = (what) => faults.length < 20 && faults.push(what);
/** A number from 0 on, below `most`. */
const some = (most) => Math.floor(Math.random() * most);

/** What goes wrong where a server dies: with the call itself, or with those that come before it is back. */
const isOfADeath = (text) => /ended|exited|gone|not connected|starting|restart|connection|unavailable|cannot be reached/i.test(text);

async function client(url, number) {
  const one = new Client({ name: `soak-${number}`, version: '1' });
  await one.connect(new StreamableHTTPClientTransport(new URL(url)));
  const call = (name, args) => one.callTool({ name, arguments: args }, undefined, { timeout: PATIENCE });

  async function lane() {
    while (!stopped) {
      const server = servers[some(servers.length)];
      if (serial % 25 === 24) {
        serial++;
        count.deaths++;
        await call(`${server}__die`, {}).catch(() => undefined);
        continue;
      }
      const [token, n] = [`t${number}.${serial++}.`, some(3) === 0 ? 3 : 20 + some(600)];
      count.calls++;
      let text;
      try {
        text = (await call(`${server}__read`, { token, n })).content.map((block) => block.text ?? '').join('');
      } catch (error) {
        text = error.message;
      }
      if (!text.includes('"token"')) {
        if (isOfADeath(text)) count.ended++;
        else fault(`${token}: ${text.slice(0, 300)}`);
        continue;
      }
      count.answers++;
      const foreign = [...text.matchAll(/t\d+\.\d+\./g)].find(([found]) => found !== token);
      if (!text.includes(token) || foreign) fault(`${token}: an answer of ${foreign}: ${text.slice(0, 200)}`);
      const id = /"response_id":"([^"]+)"/.exec(text)?.[1];
      if (id !== undefined && serial % 4 === 0) await recover(id, token, n);
    }
  }

  async function recover(id, token, n) {
    try {
      const { content } = await call('compressor_recover_response', { response_id: id });
      const records = Array.from({ length: n }, (_, at) => ({ id: at, token, note: 'a record of a call' }));
      const whole = JSON.parse(content.map((block) => block.text ?? '').join('')).content[0].text;
      if (whole !== JSON.stringify({ token, records })) fault(`${token}: another original: ${whole.slice(0, 300)}`);
      else count.recovered++;
    } catch (error) {
      fault(`${token}: its original: ${error.message}`);
    }
  }

  await Promise.all(Array.from({ length: LANES }, lane));
  await one.close();
}

const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${proxy.pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
const megabytes = (n) => Math.round(n / 1e6);

while (!/listening on (\S+)/.test(said)) {
  if (proxy.exitCode !== null) throw new Error(`the proxy ended: ${said}`);
  await sleep(20);
}
const url = /listening on (\S+)/.exec(said)[1];
const milliseconds = Number(values.seconds) * 1000;
const all = Promise.all(Array.from({ length: Number(values.clients) }, (_, number) => client(url, number)));
await sleep(milliseconds / 10);
const base = memory();
await sleep(milliseconds * 0.9);
stopped = true;
await all;
const end = memory();
if (end - base > GROWTH) fault(`memory grew by ${megabytes(end - base)} MB`);
if (count.answers === 0 || count.deaths === 0 || count.recovered === 0) fault('nothing was put to the test');

proxy.kill();
rmSync(folder, { recursive: true });
console.log(JSON.stringify({ seconds: Number(values.seconds), ...count, afterTenth: megabytes(base), atEnd: megabytes(end), faults }));
process.exitCode = faults.length === 0 ? 0 : 1;
