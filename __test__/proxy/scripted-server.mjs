// An MCP server over stdio that does what a test wants, faults included. No SDK: what goes over the wire is exactly what stands here.
//
//   node scripted-server.mjs [--name NAME] [--version REVISION] [--tools N] [--pages] [--no-list] [--late-list] [--no-level] [--deaf] [--modern] [--stubborn] [--grandchild]
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';

const { values: options } = parseArgs({
  options: {
    name: { type: 'string', default: 'scripted' },
    version: { type: 'string', default: '2025-11-25' },
    /** As many tools as that, besides those with a behaviour. */
    tools: { type: 'string', default: '0' },
    /** Lists in pages, of which one begins with an empty cursor. */
    pages: { type: 'boolean' },
    /** Never answers tools/list. */
    'no-list': { type: 'boolean' },
    /** Refuses its tools once. */
    'late-list': { type: 'boolean' },
    /** Never answers logging/setLevel. */
    'no-level': { type: 'boolean' },
    /** Never answers anything. */
    deaf: { type: 'boolean' },
    /** Does not end when its input does, nor when it is asked to. */
    stubborn: { type: 'boolean' },
    /** Knows no handshake: each request says who sends it. */
    modern: { type: 'boolean' },
    /** Starts another process that does not end either. */
    grandchild: { type: 'boolean' },
  },
});

const log = (line) => process.stderr.write(`${line}\n`);
const raw = (text) => process.stdout.write(text);
const send = (message) => raw(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (value) => ({ content: [{ type: 'text', text: value }] });
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

if (options.stubborn) for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => log(`${signal}, but no`));
if (options.grandchild) {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  log(`grandchild ${child.pid}`);
}
log(`pid ${process.pid}`);

let nextId = 1;
const asked = new Map();
const cancelled = [];
let extra = false;
let late = options['late-list'];
let client = {};
let [running, most, begun] = [0, 0, 0];

/** Asks the client something. */
function ask(method, params = {}) {
  const id = `server-${nextId++}`;
  send({ id, method, params });
  return new Promise((resolve, reject) => asked.set(id, { resolve, reject }));
}

const records = (n) =>
  Array.from({ length: n }, (_, id) => ({ id, title: `Record ${id}`, body: `${'Some words about it. '.repeat(10)}${id}` }));

/** What the tools do, by their names. */
const TOOLS = {
  echo: (args) => text(JSON.stringify(args)),
  params: (_, params) => text(JSON.stringify(params)),
  big: ({ n = 1000 }) => text(JSON.stringify({ records: records(n), total: n })),
  text: ({ lines = 5000 }) => text(Array.from({ length: lines }, (_, n) => `line ${n + 1} of the log`).join('\n')),
  both: ({ n = 1000 }) => ({ ...text(JSON.stringify({ records: records(n) })), structuredContent: { records: records(n) } }),
  richer: ({ n = 1000 }) => ({ ...text(`found ${n}`), structuredContent: { records: records(n) } }),
  image: ({ n = 1000 }) => ({
    content: [
      { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
      { type: 'text', text: JSON.stringify(records(n)) },
      { type: 'text', text: 'x'.repeat(100_000), annotations: { audience: ['user'] } },
    ],
  }),
  'own-cursor': ({ cursor, n = 500 }) => text(JSON.stringify({ given: cursor ?? null, records: records(n) })),
  unlisted: (args) => text(JSON.stringify({ given: args, records: records(500) })),
  fail: ({ n = 1000 }) => ({
    ...text(`Error: no such table\n${'    at frame\n'.repeat(n * 10)}Caused by: the disk is full`),
    isError: true,
  }),
  refuse: () => Promise.reject({ code: -32050, message: 'refused', data: { why: ['as', 'asked'], n: 1e21 } }),
  novel: () => ({ ...text('ok'), 'x-new': { kept: true }, _meta: { 'server/key': [1, 2] } }),
  hang: () => new Promise(() => {}),
  slow: async ({ ms = 200 }) => (await sleep(ms), text(`slept ${ms}`)),
  die: () => process.exit(3),
  cancelled: () => text(JSON.stringify(cancelled)),
  client: () => text(JSON.stringify(client)),
  log: async () => {
    for (const level of ['info', 'error'])
      send({ method: 'notifications/message', params: { level, logger: 'scripted', data: { level } } });
    return text('logged');
  },
  progress: async ({ steps = 3 }, { _meta }) => {
    for (let progress = 1; progress <= steps; progress++) {
      send({
        method: 'notifications/progress',
        params: { progressToken: _meta?.progressToken, progress, total: steps, message: `step ${progress}` },
      });
      await sleep(20);
    }
    return text('done');
  },
  flood: ({ n = 400, bytes = 100_000 }, { _meta }) => {
    for (let progress = 1; progress <= n; progress++)
      send({ method: 'notifications/progress', params: { progressToken: _meta?.progressToken, progress, message: 'x'.repeat(bytes) } });
    return text('flooded');
  },
  stamp: () => text(`${process.hrtime.bigint()} `.padEnd(20_000, 'x')),
  counted: async ({ ms = 20 }) => {
    most = Math.max(most, ++running);
    log(`begun ${++begun}`);
    await sleep(ms);
    running--;
    return text(`${most} `.padEnd(300_000, 'x'));
  },
  sample: async () =>
    text(
      JSON.stringify(
        await ask('sampling/createMessage', { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 10 }),
      ),
    ),
  elicit: async () =>
    text(
      JSON.stringify(
        await ask('elicitation/create', {
          message: 'name?',
          requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
        }),
      ),
    ),
  'ask-then-progress': async (args, params) => {
    await TOOLS.elicit();
    return TOOLS.progress(args, params);
  },
  roots: async () => text(JSON.stringify(await ask('roots/list'))),
  'sample-cancelled': async () => {
    const pending = ask('sampling/createMessage', { messages: [], maxTokens: 1 }).catch(() => undefined);
    send({ method: 'notifications/cancelled', params: { requestId: `server-${nextId - 1}`, reason: 'changed my mind' } });
    return Promise.race([pending, sleep(100)]).then(() => text('gave up'));
  },
  change: () => {
    extra = true;
    send({ method: 'notifications/tools/list_changed' });
    return text('changed');
  },
  touch: ({ uri }) => (send({ method: 'notifications/resources/updated', params: { uri } }), text('touched')),
  surrogate: (_, __, id) =>
    void raw(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"a\\ud800b"}]}}\n`),
  'big-surrogate': (_, __, id) =>
    void raw(
      `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"${'a\\ud800b '.repeat(30_000)}"}]}}\n`,
    ),
  nested: ({ levels }) => {
    let deep = [];
    for (let n = 1; n < levels; n++) deep = [deep];
    return { content: [], structuredContent: { deep } };
  },
  'invalid-utf8': (_, __, id) => {
    const [head, tail] = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"|"}]}}\n`.split('|');
    process.stdout.write(Buffer.concat([Buffer.from(head), Buffer.from([0xff, 0x41, 0xc3]), Buffer.from(tail)]));
  },
  numbers: (_, __, id) =>
    void raw(
      `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[],"structuredContent":{"big":12345678901234567890,"exact":1.0,"far":1e400}}}\n`,
    ),
  half: (_, __, id) => {
    raw(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"te`);
    setTimeout(() => process.exit(4), 20);
  },
  twice: (_, __, id) => {
    send({ id, result: text('first') });
    send({ id, result: text('second') });
  },
  noise: () => (raw('this is no JSON\n{"neither": "is this"}\n'), text('after the noise')),
  huge: ({ mb = 100 }) => text('0123456789abcde\n'.repeat(mb << 16)),
  exit: () => setTimeout(() => process.exit(0), 10) && text('bye'),
};

const tool = (name, more = {}) => ({ name, description: `Does what **${name}** says.`, inputSchema: { type: 'object' }, ...more });

function tools() {
  const listed = Object.keys(TOOLS)
    .filter((name) => name !== 'unlisted' && name !== 'own-cursor')
    .map((name) => tool(name));
  listed.push(tool('own-cursor', { inputSchema: { type: 'object', properties: { cursor: { type: 'string' } } } }));
  listed.push(
    tool('annotated', {
      title: 'Annotated',
      annotations: { readOnlyHint: true },
      icons: [{ src: 'data:,' }],
      _meta: { a: 1 },
      'x-new': 1.0,
    }),
  );
  const region = { type: 'string', 'x-mcp-header': 'Region' };
  listed.push(tool('regional', { inputSchema: { type: 'object', properties: { region } } }));
  const input = { type: 'object', properties: { n: { type: 'number' }, pad: { type: 'integer' } } };
  const output = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  listed.push(tool('structured', { inputSchema: input, outputSchema: output }));
  if (extra) listed.push(tool('extra'));
  for (let n = 0; n < Number(options.tools); n++) listed.push(tool(`tool-${n}`));
  return listed;
}

function list({ cursor }) {
  const all = tools();
  if (!options.pages) return { tools: all };
  const third = Math.ceil(all.length / 3);
  if (cursor === undefined) return { tools: all.slice(0, third), nextCursor: '' };
  if (cursor === '') return { tools: all.slice(third, 2 * third), nextCursor: 'last' };
  return { tools: all.slice(2 * third) };
}

const RESOURCES = [
  { uri: 'test://shared', name: 'shared' },
  { uri: `test://${options.name}/one`, name: 'one' },
];

const METHODS = {
  initialize: (params) => {
    client = params;
    return {
      protocolVersion: options.version,
      capabilities: { tools: { listChanged: true }, prompts: {}, resources: { subscribe: true }, logging: {}, completions: {} },
      serverInfo: { name: options.name, version: '1.0.0', title: 'Scripted' },
      instructions: `Use ${options.name} well.`,
    };
  },
  ping: () => ({}),
  'tools/list': (params) => {
    if (options['no-list']) return new Promise(() => {});
    if (late) return ((late = false), Promise.reject({ code: -32000, message: 'not yet' }));
    return list(params);
  },
  'tools/call': (params, id) => {
    const run = TOOLS[params.name];
    if (params.name === 'regional') return text(JSON.stringify(params.arguments));
    if (params.name === 'structured') {
      const { n = 1, pad = 0 } = params.arguments ?? {};
      const value = { n, ...(pad > 0 && { lines: Array.from({ length: pad }, (_, line) => `line ${line} of many`) }) };
      return { ...text(JSON.stringify(value)), structuredContent: value };
    }
    if (run === undefined) return Promise.reject({ code: -32602, message: `unknown tool ${params.name}` });
    return run(params.arguments ?? {}, params, id);
  },
  'prompts/list': () => ({ prompts: [{ name: 'greet', arguments: [{ name: 'who' }] }] }),
  'prompts/get': ({ name, arguments: args }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `${options.name} ${name} ${args?.who}` } }],
  }),
  'resources/list': () => ({ resources: RESOURCES }),
  'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: `test://${options.name}/items/{id}`, name: 'item' }] }),
  'resources/read': ({ uri }) => {
    const known = RESOURCES.some((resource) => resource.uri === uri) || uri.startsWith(`test://${options.name}/items/`);
    return known ? { contents: [{ uri, text: `${options.name} has ${uri}` }] } : Promise.reject({ code: -32002, message: `no ${uri}` });
  },
  'resources/subscribe': ({ uri }) => {
    if (uri.startsWith('own://') && !uri.startsWith(`own://${options.name}/`))
      return Promise.reject({ code: -32002, message: `no ${uri}` });
    log(`subscribed ${uri}`);
    if (uri.startsWith('hang://')) return new Promise(() => {});
    setTimeout(() => send({ method: 'notifications/resources/updated', params: { uri } }), 20);
    return {};
  },
  'resources/unsubscribe': ({ uri }) => (log(`unsubscribed ${uri}`), {}),
  'completion/complete': ({ ref, argument }) => ({ completion: { values: [`${options.name}:${ref.name ?? ref.uri}:${argument.value}`] } }),
  'logging/setLevel': ({ level }) => (log(`level ${level}`), options['no-level'] ? new Promise(() => {}) : {}),
};

/** What a server without a handshake answers otherwise. */
const MODERN = {
  initialize: () => Promise.reject({ code: -32601, message: 'no method initialize' }),
  'server/discover': () => ({
    resultType: 'complete',
    ...{ supportedVersions: ['2026-07-28'], capabilities: { tools: { listChanged: true } }, ttlMs: 0, cacheScope: 'private' },
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: options.name, version: '1.0.0' } },
  }),
  'subscriptions/listen': () => new Promise(() => {}),
  'tools/call': ({ name, inputResponses, requestState, ...rest }, id) => {
    const asks = {
      who: { method: 'elicitation/create', params: { message: 'name?', requestedSchema: { type: 'object', properties: {} } } },
    };
    if (name === 'elicit' && inputResponses === undefined)
      return { resultType: 'input_required', inputRequests: asks, requestState: 'state of the server' };
    if (name === 'elicit') return { resultType: 'complete', ...text(JSON.stringify([requestState, inputResponses])) };
    return METHODS['tools/call']({ name, ...rest }, id);
  },
};

async function answer({ id, method, params }) {
  try {
    if (options.modern && method !== 'initialize' && params?._meta?.['io.modelcontextprotocol/protocolVersion'] !== '2026-07-28')
      throw { code: -32602, message: 'who asks?' };
    const run = (options.modern ? MODERN[method] : undefined) ?? METHODS[method];
    if (run === undefined) throw { code: -32601, message: `no method ${method}` };
    const result = await run(params ?? {}, id);
    if (result !== undefined) send({ id, result });
  } catch ({ code = -32603, message, data }) {
    send({ id, error: { code, message, ...(data !== undefined && { data }) } });
  }
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    if (options.deaf) return;
    const message = JSON.parse(line);
    if (message.method === 'notifications/cancelled') cancelled.push(message.params);
    else if (message.method !== undefined && message.id !== undefined) void answer(message);
    else if (message.id !== undefined) {
      const { resolve, reject } = asked.get(message.id) ?? {};
      asked.delete(message.id);
      if (message.error) reject?.(message.error);
      else resolve?.(message.result);
    }
  })
  .on('close', () => options.stubborn || process.exit(0));
// Something to wait for, for ever.
if (options.stubborn) spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
