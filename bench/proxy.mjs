// What the proxy adds to a call, beside a direct connection in the same run: `npm run bench:proxy`. Linux tells the processor time and the memory.
//
// Both ways are measured in turns, so that whatever else the machine does falls on both alike.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { platformName } from '../bin/platform.js';

const path = (file) => fileURLToPath(new URL(`../${file}`, import.meta.url));
const BINARY = path(`npm/${platformName()}/bin/snugfit`);
const official = (name, ...args) => [process.execPath, path(`node_modules/@modelcontextprotocol/server-${name}/dist/index.js`), ...args];
const scripted = [process.execPath, path('__test__/proxy/scripted-server.mjs')];
const proxied = (...args) => [BINARY, 'proxy', '--log-level', 'warn', ...args];
const several = (servers, more = {}) => {
  const entries = Object.entries(servers).map(([name, server]) => [
    name,
    typeof server === 'string' ? { url: server } : { command: server },
  ]);
  return proxied('--config', JSON.stringify({ servers: Object.fromEntries(entries), ...more }));
};

const ECHO = { name: 'echo', arguments: { message: 'hello' } };
const HELLO = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
const BATCH = 100;
const running = [];

function start(command, options = {}) {
  const [program, ...args] = command;
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], ...options });
  running.push(child);
  return child;
}

/** A client over stdio. */
async function overStdio(command) {
  const child = start(command);
  child.stderr.resume();
  const waiting = new Map();
  let parts = [];
  child.stdout.on('data', (chunk) => {
    let from = 0;
    for (let end; (end = chunk.indexOf(10, from)) >= 0; from = end + 1) {
      const line = Buffer.concat([...parts, chunk.subarray(from, end)]);
      parts = [];
      // The id stands at one end of the line; what may be many megabytes between is not parsed.
      const ends = `${line.subarray(0, 60)}…${line.subarray(-40)}`;
      const id = Number(/"id":(\d+)/.exec(ends)?.[1]);
      waiting.get(id)?.(line);
      waiting.delete(id);
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
  });
  let last = 0;
  const ask = (method, params = {}) => {
    const id = ++last;
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return new Promise((resolve) => waiting.set(id, resolve));
  };
  await ask('initialize', HELLO);
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  await ask('tools/list');
  return { pid: child.pid, ask };
}

const agent = new Agent({ keepAlive: true, maxSockets: Infinity });

/** A client over HTTP. */
async function overHttp(url) {
  let [session, last] = [undefined, 0];
  const send = (message) =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify({ jsonrpc: '2.0', ...message });
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'content-length': Buffer.byteLength(body),
        ...(session !== undefined && { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }),
      };
      const sent = request(url, { method: 'POST', agent, headers }, (response) => {
        session ??= response.headers['mcp-session-id'];
        let text = '';
        response.setEncoding('utf8').on('data', (part) => (text += part));
        response.on('end', () => (response.statusCode < 300 ? resolve(text) : reject(new Error(`${response.statusCode} ${text}`))));
      });
      sent.on('error', reject);
      sent.end(body);
    });
  const ask = (method, params = {}) => send({ id: ++last, method, params });
  await ask('initialize', HELLO);
  await send({ method: 'notifications/initialized' });
  return { ask };
}

/** A program that says where it listens. */
async function listening(command, says, options) {
  const child = start(command, options);
  const url = await new Promise((resolve, reject) => {
    child.on('exit', (code) => reject(new Error(`${command[0]} ended with ${code}`)));
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        const url = says(String(chunk));
        if (url) resolve(url);
      });
    }
  });
  return { url, pid: child.pid };
}

async function httpServer() {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address();
  await new Promise((resolve) => taken.close(resolve));
  const says = (text) => text.includes('listening') && `http://127.0.0.1:${port}/mcp`;
  return listening(official('everything', 'streamableHttp'), says, { env: { ...process.env, PORT: String(port) } });
}

function httpProxy(server) {
  const inbound = { stdio: false, http: { enabled: true, port: 0 } };
  const [program, first, ...rest] = several({ one: server }, { inbound });
  const command = [program, first, ...rest.map((arg) => (arg === 'warn' ? 'info' : arg))];
  return listening(command, (text) => /listening on (\S+)/.exec(text)?.[1]);
}

/** Milliseconds that a call takes, several ways in turns: a sorted list for each. */
async function latencies(rounds, ...ways) {
  const times = ways.map(() => []);
  for (let round = -1; round < rounds; round++) {
    for (const [at, way] of ways.entries()) {
      for (let n = 0; n < BATCH; n++) {
        const before = performance.now();
        await way();
        // The first round warms up.
        if (round >= 0) times[at].push(performance.now() - before);
      }
    }
  }
  return times.map((list) => list.sort((a, b) => a - b));
}

const quantile = (sorted, q) => sorted[Math.floor(sorted.length * q)];

/** Calls a second with many under way. */
async function rate(way, calls = 4000, atOnce = 64) {
  let left = calls;
  const before = performance.now();
  const worker = async () => {
    while (left-- > 0) await way();
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return Math.round((calls / (performance.now() - before)) * 1000);
}

/** Nanoseconds of the processor that a process has taken, by all its threads. */
function processor(pid) {
  const folder = `/proc/${pid}/task`;
  if (!existsSync(folder)) return NaN;
  return readdirSync(folder).reduce((sum, task) => sum + Number(readFileSync(`${folder}/${task}/schedstat`, 'utf8').split(' ')[0]), 0);
}

/** Memory of a process alone, in MB. */
function memory(pid) {
  const file = `/proc/${pid}/smaps_rollup`;
  if (!existsSync(file)) return NaN;
  const rows = [...readFileSync(file, 'utf8').matchAll(/^(Rss|Private_\w+):\s+(\d+) kB/gm)];
  const sum = (holds) => rows.filter(([, name]) => holds(name)).reduce((all, [, , kb]) => all + Number(kb), 0) / 1000;
  return { rss: sum((name) => name === 'Rss'), own: sum((name) => name !== 'Rss') };
}

const rows = [];
const row = (what, direct, through, added, goal) => {
  rows.push(`| ${[what, direct, through, added, goal].join(' | ')} |`);
  console.error(rows.at(-1));
};
const ms = (value) => `${value.toFixed(value < 10 ? 3 : 1)} ms`;

async function calls(transport, direct, through, pid) {
  const call =
    ({ ask }) =>
    () =>
      ask('tools/call', ECHO);
  const [near, far] = await latencies(20, call(direct), call(through));
  for (const [name, q, goal] of [
    ['p50', 0.5, 0.25],
    ['p95', 0.95, 0.7],
  ]) {
    const [a, b] = [quantile(near, q), quantile(far, q)];
    row(`a call over ${transport}, ${name}`, ms(a), ms(b), ms(b - a), `${goal} ms`);
  }
  const before = processor(pid);
  for (let n = 0; n < 2000; n++) await through.ask('tools/call', ECHO);
  row(`its processor time a call, ${transport}`, '', `${((processor(pid) - before) / 2000 / 1000).toFixed(0)} µs`, '', '60 µs');
  const rates = [await rate(call(direct)), await rate(call(through))];
  row(`calls a second, 64 at once, ${transport}`, ...rates, `× ${(rates[1] / rates[0]).toFixed(2)}`, '');
}

const everything = official('everything', 'stdio');
const through = await overStdio(proxied('--', ...everything));
await calls('stdio', await overStdio(everything), through, through.pid);

const server = await httpServer();
const proxy = await httpProxy(server.url);
await calls('HTTP', await overHttp(server.url), await overHttp(proxy.url), proxy.pid);

const many = await Promise.allSettled(
  Array.from({ length: 500 }, async (_, n) => {
    const client = await overHttp(proxy.url);
    const answer = await client.ask('tools/call', { name: 'echo', arguments: { message: `from ${n}.` } });
    if (!answer.includes(`from ${n}.`)) throw new Error(answer);
  }),
);
row('500 clients at once, errors', '', many.filter(({ status }) => status === 'rejected').length, '', '0');

const five = await overStdio(
  several({
    everything,
    filesystem: official('filesystem', '.'),
    memory: official('memory'),
    thinking: official('sequential-thinking'),
    github: official('github'),
  }),
);
await new Promise((resolve) => setTimeout(resolve, 3000));
await five.ask('tools/list');
const [listed] = await latencies(3, () => five.ask('tools/list'));
row('`tools/list` of five servers, p50', '', ms(quantile(listed, 0.5)), '', '1 ms');
const { rss, own } = memory(five.pid);
row('its memory, five servers idle', '', `${rss.toFixed(1)} MB (${own.toFixed(1)} MB shared with nobody)`, '', '40 MB');

const huge = ({ ask }) => ask('tools/call', { name: 'huge', arguments: { mb: 10 } });
const [plain, whole, fitted] = [
  await overStdio(scripted),
  await overStdio(proxied('--mode', 'off', '--', ...scripted)),
  await overStdio(proxied('--', ...scripted)),
];
const clients = [plain, whole, fitted];
const times = clients.map(() => []);
const ROUNDS = 15;
for (const client of clients) await huge(client);
const before = clients.map(({ pid }) => processor(pid));
for (let round = 0; round < ROUNDS; round++) {
  for (const [at, client] of clients.entries()) {
    const start = performance.now();
    await huge(client);
    times[at].push(performance.now() - start);
  }
}
const taken = clients.map(({ pid }, at) => (processor(pid) - before[at]) / ROUNDS / 1e6);
const [a, b, c] = times.map((list) =>
  quantile(
    list.sort((x, y) => x - y),
    0.5,
  ),
);
row('a result of 10 MB, passed whole, p50', ms(a), ms(b), ms(b - a), '60 ms');
row('its processor time for that', '', ms(taken[1]), '', '');
row('a result of 10 MB, condensed, p50', ms(a), ms(c), ms(c - a), '60 ms');
row('its processor time for that', '', ms(taken[2]), '', '');

console.log(['| | directly | through the proxy | added | goal |', '| --- | ---: | ---: | ---: | ---: |', ...rows].join('\n'));
for (const child of running) child.kill();
process.exit(0);
