// Two proxies, one whose clients share servers, two clients a token, and one with servers of each client's own; servers are killed and held still at
// random, in the middle of calls. Every call must have an answer, its own and one only; it may be an error only where its server died and is not back yet, and every
// server must come back. Originals are read back and compared, and nobody reads those of another.
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
import { original } from './server.mjs';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '300' }, clients: { type: 'string', default: '6' } } });
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'snugfit-soak-'));
const milliseconds = Number(values.seconds) * 1000;
const NAMES = ['a', 'b', 'c'];
/** Calls of a client that are under way at the same time. */
const LANES = 4;
/** An answer that takes longer is lost; a server that stays away longer is lost as well. The proxy waits 30 s at most before it starts one again. */
const PATIENCE = 90_000;
/** How long a server is left alone, about. One that held for a minute is started again at once. */
const LIFE = Math.min(60_000, milliseconds / 4);
/** What a proxy may grow by after the first tenth of the time. */
const GROWTH = 64e6;

const faults = [];
const count = { calls: 0, answers: 0, recovered: 0, refused: 0, errors: 0, deaths: 0, pauses: 0 };
const fault = (what) => faults.length < 20 && faults.push(what);
/** A number from 0 on, below `most`. */
const some = (most) => Math.floor(Math.random() * most);
const textOf = ({ content }) => content.map((block) => block.text ?? '').join('');
let [serial, calm, stopped] = [0, false, false];

/** One server as the clients that use it see it: its process, those that were killed, and since when it is dead. */
class Upstream {
  constructor(name) {
    Object.assign(this, { name, pid: undefined, killed: new Set(), deadSince: undefined });
  }

  /** An answer of process `pid` came, maybe long after it was sent. */
  seen(pid) {
    if (this.killed.has(pid)) return;
    this.pid = pid;
    this.deadSince = undefined;
  }

  /** Kills it or holds it still, each after a while of its own, for as long as the run takes. */
  async haunt() {
    while (!calm) {
      await sleep(LIFE * (0.2 + 1.6 * Math.random()), undefined, { ref: false });
      const { pid } = this;
      if (calm || pid === undefined || this.deadSince !== undefined) continue;
      if (some(4) === 0) {
        count.pauses++;
        process.kill(pid, 'SIGSTOP');
        await sleep(some(1000));
        process.kill(pid, 'SIGCONT');
      } else {
        count.deaths++;
        this.killed.add(pid);
        this.deadSince = performance.now();
        process.kill(pid, some(2) === 0 ? 'SIGKILL' : 'SIGTERM');
      }
    }
  }
}

/** A proxy that listens; `sessions` as in its configuration, a token for each client. */
async function start(sessions, tokens) {
  const file = join(folder, `${sessions}.json`);
  const server = { command: process.execPath, args: [join(root, 'soak/server.mjs')] };
  const http = { enabled: true, port: 0, sessions, auth: { bearer: tokens } };
  writeFileSync(
    file,
    JSON.stringify({
      servers: Object.fromEntries(NAMES.map((name) => [name, server])),
      inbound: { stdio: false, http },
      results: { budget: { chars: 2000 } },
      store: { entries: 256 },
    }),
  );
  const child = spawn(join(root, 'npm', platformName(), 'bin/snugfit'), ['--config', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (said = (said + text).slice(-10_000)));
  while (!/listening on (\S+)/.test(said)) {
    if (child.exitCode !== null) throw new Error(`the proxy ended: ${said}`);
    await sleep(20);
  }
  const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  child.on('exit', (code) => stopped || fault(`the proxy ended with ${code}: ${said}`));
  return { url: /listening on (\S+)/.exec(said)[1], child, memory };
}

/** The newest id that was given for each token. */
const given = new Map();

async function client(url, token, upstreams) {
  const one = new Client({ name: token, version: '1' });
  // What nobody waits for any more, or waits for no longer: an answer that came twice, or went astray.
  one.onerror = (error) => /unknown message ID/.test(error.message) && fault(`${token}: ${error.message}`);
  await one.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } }));
  const ask = (name, args) => one.callTool({ name, arguments: args }, undefined, { timeout: PATIENCE });

  async function lane() {
    while (!stopped) {
      const upstream = upstreams[some(upstreams.length)];
      const [mark, n] = [`t${serial++}.`, some(3) === 0 ? 3 : 20 + some(600)];
      const [dead, deaths, begun] = [upstream.deadSince !== undefined, upstream.killed.size, performance.now()];
      count.calls++;
      const text = await ask(`${upstream.name}__read`, { token: mark, n }).then(textOf, (error) => error.message);
      const pid = Number(/"pid":(\d+)/.exec(text)?.[1]);
      if (!(pid > 0)) {
        count.errors++;
        const away = performance.now() - (upstream.deadSince ?? begun);
        if (!dead && upstream.killed.size === deaths) fault(`${mark} an error, and ${upstream.name} did not die: ${text.slice(0, 300)}`);
        else if (!text.includes(`server "${upstream.name}"`)) fault(`${mark} not an error of ${upstream.name}: ${text.slice(0, 300)}`);
        else if (away > PATIENCE) fault(`${upstream.name} did not come back: ${text.slice(0, 300)}`);
        await sleep(some(200));
        continue;
      }
      count.answers++;
      upstream.seen(pid);
      const foreign = [...text.matchAll(/t\d+\./g)].find(([found]) => found !== mark);
      if (!text.includes(mark) || foreign) fault(`${mark} an answer of ${foreign}: ${text.slice(0, 200)}`);
      const id = /"response_id":"([^"]+)"/.exec(text)?.[1];
      if (id === undefined) {
        if (text !== original(pid, mark, n)) fault(`${mark} another answer: ${text.slice(0, 300)}`);
        continue;
      }
      if (some(4) === 0) await recover(id, original(pid, mark, n));
      if (some(20) === 0) await trespass();
      given.set(token, id);
    }
  }

  async function recover(id, expected) {
    const whole = await ask('compressor_recover_response', { response_id: id }).then(
      (result) => JSON.parse(textOf(result)).content[0].text,
      (error) => error.message,
    );
    if (whole === expected) count.recovered++;
    else fault(`another original than ${expected.slice(0, 40)}: ${whole.slice(0, 300)}`);
  }

  /** Asks for an original of another token. */
  async function trespass() {
    const [, id] = [...given].find(([other]) => other !== token) ?? [];
    if (id === undefined) return;
    const result = await ask('compressor_recover_response', { response_id: id });
    if (result.isError) count.refused++;
    else fault(`${token} read an original of another: ${textOf(result).slice(0, 300)}`);
  }

  await Promise.all(Array.from({ length: LANES }, lane));
  await one.close();
}

const clients = Array.from({ length: Number(values.clients) }, (_, number) => number);
const lone = clients.splice(0, Math.floor(clients.length / 3)).map((number) => `own-${number}`);
const pairs = clients.map((_, at) => `pair-${at >> 1}`);
const fresh = () => NAMES.map((name) => new Upstream(name));
const shared = new Map(pairs.map((token) => [token, fresh()]));
const groups = [
  { proxy: await start('stateless', [...shared.keys()]), tokens: pairs, upstreams: (token) => shared.get(token) },
  { proxy: await start('stateful', lone), tokens: lone, upstreams: fresh },
];
const all = groups.flatMap(({ proxy, tokens, upstreams }) =>
  tokens.map((token) => {
    const used = upstreams(token);
    return { upstreams: used, done: client(proxy.url, token, used) };
  }),
);
const upstreams = [...new Set(all.flatMap((one) => one.upstreams))];
for (const upstream of upstreams) upstream.haunt().catch((error) => fault(`${upstream.name}: ${error.message}`));
const megabytes = () => groups.map(({ proxy }) => Math.round(proxy.memory() / 1e6));

await sleep(milliseconds / 10);
const afterTenth = megabytes();
await sleep(milliseconds * 0.9);
// Who is dead comes back before the end.
calm = true;
const end = performance.now() + PATIENCE;
while (upstreams.some(({ deadSince }) => deadSince !== undefined) && performance.now() < end) await sleep(100);
for (const { name, deadSince } of upstreams) if (deadSince !== undefined) fault(`${name} did not come back`);
stopped = true;
await Promise.all(all.map(({ done }) => done));
const atEnd = megabytes();
if (atEnd.some((now, at) => (now - afterTenth[at]) * 1e6 > GROWTH)) fault('memory grew');
for (const [what, times] of Object.entries(count)) if (times === 0 && what !== 'pauses') fault(`nothing was put to the test: no ${what}`);

for (const { proxy } of groups) proxy.child.kill();
rmSync(folder, { recursive: true });
console.log(JSON.stringify({ seconds: Number(values.seconds), ...count, afterTenth, atEnd, faults }));
process.exitCode = faults.length === 0 ? 0 : 1;
