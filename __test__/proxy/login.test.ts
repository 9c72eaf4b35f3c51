// Logins: `snugfit auth` and servers with `auth: oauth`, against a certified authorization server.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { BINARY, connect, textOf, until } from './support.ts';

/** An authorization server, an MCP server that takes its tokens, and a user with a folder for configurations. */
async function world(options: { ttl?: number; callback?: number; auth?: string | object } = {}) {
  const { ttl = 3600, callback = 0, auth = 'oauth' } = options;
  const program = fileURLToPath(new URL('authorization-server.mjs', import.meta.url));
  const server = spawn(process.execPath, [program, '--ttl', String(ttl), '--callback', String(callback)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const home = mkdtempSync(join(tmpdir(), 'snugfit-login-'));
  onTestFinished(() => {
    server.kill();
    rmSync(home, { recursive: true, force: true });
  });
  const [url] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
  const config = join(home, 'snugfit.config.json');
  const trace = { sink: 'file', path: join(home, 'trace.ndjson'), payloads: true };
  writeFileSync(config, JSON.stringify({ servers: { notes: { url, auth } }, observability: { trace } }));
  const env = { XDG_CONFIG_HOME: home };

  /** The command, and what it says. */
  function run(...args: string[]) {
    const child = spawn(BINARY, ['auth', ...args], { env: { PATH: process.env.PATH, ...env } });
    onTestFinished(() => void child.kill());
    const said = { out: '', err: '' };
    child.stdout.on('data', (chunk: Buffer) => (said.out += String(chunk)));
    child.stderr.on('data', (chunk: Buffer) => (said.err += String(chunk)));
    return { said, ended: once(child, 'close') as Promise<[number]> };
  }
  /** Logs in as somebody, or refuses to. */
  async function login(account: string | undefined, ...more: string[]) {
    const { said, ended } = run('login', '--config', config, '--no-browser', ...more);
    let page = '';
    await until(() => (page = /http\S+/.exec(said.err)?.[0] ?? '') !== '');
    await browse(page, account);
    return { code: (await ended)[0], page, ...said };
  }
  const tokens = join(home, 'snugfit', 'tokens.json');
  const stored = () => Object.values(JSON.parse(readFileSync(tokens, 'utf8')) as Record<string, Record<string, string>>)[0]!;
  const proxy = () => connect(['--config', config, '--max-chars', '2000'], { env });
  return { url, home, run, login, proxy, tokens, stored, trace: trace.path };
}

/** What a user does in the browser: logs in as `account` and agrees, or goes back. */
async function browse(page: string, account: string | undefined) {
  const cookies = new Map<string, string>();
  let [url, form] = [page, undefined as URLSearchParams | undefined];
  for (let step = 0; step < 12; step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      method: form ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { cookie },
      ...(form && { body: form }),
    });
    for (const set of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!;
      cookies.set(name!, value!);
    }
    form = undefined;
    const next = response.headers.get('location');
    const html = await response.text();
    if (next !== null) url = new URL(next, url).href;
    else if (html.includes('name="prompt"')) {
      const back = /href="([^"]+\/abort)"/.exec(html)?.[1];
      const prompt = /name="prompt" value="(\w+)"/.exec(html)![1]!;
      if (account === undefined) url = new URL(back!, url).href;
      else {
        url = new URL(/action="([^"]+)"/.exec(html)![1]!, url).href;
        form = new URLSearchParams({ prompt, ...(prompt === 'login' && { login: account, password: 'any' }) });
      }
    } else return html;
  }
  throw new Error('the browser goes round in circles');
}

interface Who {
  account: string;
  token: string;
}

test('a user logs in once, and every server that wants the login is shown it', async () => {
  const { run, login, proxy, tokens, stored, url, trace } = await world();
  const before = await proxy().catch((error: unknown) => String(error));
  expect(before).toContain('it wants a login: run `snugfit auth login notes`');

  const { code, page, out, err } = await login('alice');
  expect([code, out]).toEqual([0, expect.stringContaining('Logged in to notes at http://127.0.0.1')]);
  const asked = new URL(page).searchParams;
  expect(asked.get('resource')).toBe(url);
  expect(asked.get('code_challenge_method')).toBe('S256');
  expect(asked.get('scope')!.split(' ')).toContain('notes:read');
  expect(statSync(tokens).mode & 0o777).toBe(0o600);

  const { call, said } = await proxy();
  expect(JSON.parse(textOf(await call('whoami'))) as Who).toMatchObject({
    account: 'alice',
    scope: expect.stringContaining('notes:read') as string,
  });
  const list = run('list');
  expect(await list.ended).toEqual([0, null]);
  expect(list.said.out).toMatch(/notes +renews itself .*\/mcp/);

  const { accessToken, refreshToken } = stored();
  await until(() => readFileSync(trace, 'utf8').includes('whoami'));
  for (const text of [said(), readFileSync(trace, 'utf8'), list.said.out, out, err])
    for (const secret of [accessToken!, refreshToken!]) expect(text).not.toContain(secret);
});

test('a token that the server no longer takes is renewed, and the call goes on', async () => {
  const { login, proxy, stored } = await world();
  await login('alice');
  const { call } = await proxy();
  const first = JSON.parse(textOf(await call('whoami'))) as Who;
  const { accessToken, refreshToken } = stored();
  await call('forget');
  const second = JSON.parse(textOf(await call('whoami'))) as Who;
  expect(second.account).toBe('alice');
  expect(second.token).not.toBe(first.token);
  expect(stored().accessToken).not.toBe(accessToken);
  expect(stored().refreshToken).not.toBe(refreshToken);
});

test('proxies that share a login renew it one after the other', async () => {
  // Every token is about to run out, and one that was renewed before counts for nobody any longer.
  const { login, proxy } = await world({ ttl: 20 });
  await login('alice');
  const proxies = await Promise.all([proxy(), proxy(), proxy()]);
  const calls = proxies.flatMap(({ call }) => Array.from({ length: 4 }, () => call('whoami')));
  const who = (await Promise.all(calls)).map((result) => (JSON.parse(textOf(result)) as Who).account);
  expect(new Set(who)).toEqual(new Set(['alice']));
});

test('a login that is forgotten is gone', async () => {
  const { run, login, proxy, tokens } = await world();
  await login('alice');
  const wrong = run('clear', 'other');
  expect([(await wrong.ended)[0], wrong.said.err]).toEqual([2, expect.stringContaining('there is no login to "other"')]);
  const right = run('clear', 'notes');
  expect([(await right.ended)[0], right.said.out]).toEqual([0, expect.stringContaining('1 login is forgotten')]);
  expect(readFileSync(tokens, 'utf8')).toBe('{}\n');
  await expect(proxy()).rejects.toThrow('it wants a login');
});

test('a client that is registered already logs in with its secret', async () => {
  const port = await freePort();
  const auth = { type: 'oauth', clientId: 'known', clientSecret: 'a secret: with/signs+in it' };
  const { login, proxy } = await world({ callback: port, auth });
  expect(await login('bob', '--port', String(port))).toMatchObject({ code: 0 });
  const { call } = await proxy();
  expect(JSON.parse(textOf(await call('whoami'))) as Who).toMatchObject({ account: 'bob' });
});

test('whoever does not agree is not logged in, and an answer to another login is none', async () => {
  const { login, tokens } = await world();
  const { code, err } = await login(undefined);
  expect([code, err]).toEqual([1, expect.stringContaining('access_denied')]);
  expect(() => statSync(tokens)).toThrow();
});

test('a page that sends the browser to the callback without the state does not end the login', async () => {
  const { run, home } = await world();
  const { said, ended } = run('login', 'notes', '--config', join(home, 'snugfit.config.json'), '--no-browser');
  let page = '';
  await until(() => (page = /http\S+/.exec(said.err)?.[0] ?? '') !== '');
  const callback = new URL(page).searchParams.get('redirect_uri')!;
  expect(await (await fetch(`${callback}?code=stolen&state=guessed`)).text()).toContain('not the login');
  await browse(page, 'alice');
  expect((await ended)[0]).toBe(0);
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' ? address!.port : 0;
}
