import axe, { type AxeResults } from 'axe-core';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, mkdtemp, readFile, readdir, readlink, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type Page, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { issues, log } from '../support/samples.ts';
import { BINARY, open, scripted, several, until } from './support.ts';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path));

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'snugfit-inspect-test-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

/** The address of a page, as a process says it. */
async function addressOf({ said }: { said: () => string }): Promise<string> {
  const found = () => /inspect: (\S+)/.exec(said())?.[1];
  await until(() => found() !== undefined, 'the address of the page');
  return found()!;
}

/** Runs `snugfit inspect` on a file. */
function start(path: string) {
  const child = spawn(BINARY, ['inspect', path], { cwd: tmpdir() });
  onTestFinished(() => void child.kill());
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += String(chunk)));
  return { child, said: () => said };
}

/** Opens a file with `snugfit inspect`. */
async function inspect(name: string, content: string | Buffer) {
  const path = join(await folder(), name);
  await writeFile(path, content);
  const started = start(path);
  return { ...started, path, url: await addressOf(started) };
}

/** A call as a trace has it: what the server answered. */
function line(n: number, result: object, more: object = {}): string {
  const json = JSON.stringify(result);
  const time = new Date(Date.UTC(2026, 10, 30, 9, 0, n)).toISOString();
  const about = { time, dir: 'in', upstream: 'git', method: 'tools/call', name: `tool_${n}`, ok: true, durMs: 5, bytes: json.length };
  return `${JSON.stringify({ ...about, ...more, result })}\n`;
}

/** What is read until it is as expected. */
const poll = <Value>(read: () => Promise<Value>) => expect.poll(read, { timeout: 20_000 });

const text = (value: unknown) => ({ content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }] });

/** What `GET` gives, with headers that a browser would not send. */
function get(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Record<string, unknown>; body: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers, method: headers.method ?? 'GET' }, (answer) => {
      let body = '';
      answer.on('data', (chunk: Buffer) => (body += String(chunk)));
      answer.on('end', () => resolve({ status: answer.statusCode!, headers: answer.headers, body }));
    });
    asked.on('error', reject).end();
  });
}

/** The status of an answer to a request for exactly this path: whoever takes addresses apart makes others of some. */
async function statusOf(url: string, path: string): Promise<number> {
  const { port, hostname, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)![1]);
}

describe('who may see the page', () => {
  test('only who knows its address, names this machine and comes from no other page', async () => {
    const { url } = await inspect('result.json', JSON.stringify(issues(50)));
    const { origin, host, port } = new URL(url);
    const cases: [string, number, Record<string, string>][] = [
      [url, 200, {}],
      [url, 200, { origin }],
      [url, 200, { host: `localhost:${port}` }],
      [`${url}calls/0/original`, 200, {}],
      [origin, 404, {}],
      [`${origin}/${'0'.repeat(32)}/`, 404, {}],
      [url.slice(0, -2), 404, {}],
      [`${url}calls/7/original`, 404, {}],
      [url, 403, { host: `evil.example:${port}` }],
      [url, 403, { host: '127.0.0.1:1' }],
      [url, 403, { origin: 'http://evil.example' }],
      [url, 403, { origin: `https://${host}` }],
      [url, 405, { method: 'POST' }],
    ];
    for (const [address, status, { method = 'GET', ...headers }] of cases) {
      const answer = await new Promise<number>((resolve, reject) => {
        request(address, { method, headers }, (got) => {
          got.resume();
          resolve(got.statusCode!);
        })
          .on('error', reject)
          .end();
      });
      expect(answer, `${method} ${address} ${JSON.stringify(headers)}`).toBe(status);
    }
    const { pathname } = new URL(url);
    expect(await statusOf(url, pathname)).toBe(200);
    for (const path of [
      `${pathname}../../../../../../etc/passwd`,
      `${pathname}..%2f..%2f..%2fetc/passwd`,
      `${pathname}%2e%2e/%2e%2e/etc/passwd`,
      `${pathname}calls/../style.css`,
      `${pathname}calls/0/../../app.js`,
      `/../../../../../../etc/passwd`,
    ])
      expect(await statusOf(url, path), path).toBe(404);
    const { headers } = await get(url);
    expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'");
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
    expect((await get(url)).body).not.toMatch(/https?:\/\//);
  });
});

describe('what is read', () => {
  const original = async (url: string, n = 0) => get(`${url}calls/${n}/original`);

  test('is a payload in UTF-8 or UTF-16, a file or a pipe, and what cannot be read of it is told', async () => {
    const json = JSON.stringify(issues(9));
    const utf16 = (content: string) => Buffer.from(`\ufeff${content}`, 'utf16le');
    for (const [content, told] of [
      [json, undefined],
      [`\ufeff${json}`, undefined],
      [utf16(json), undefined],
      [utf16(json).swap16(), undefined],
      [Buffer.concat([Buffer.from('{"total": 9, "x": "'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]), 'is no UTF-8: 2 places'],
      [Buffer.concat([utf16('"total": 9'), Buffer.from([0x31])]), 'is broken UTF-16: 1 places'],
    ] as const) {
      const { url, said } = await inspect('result.json', content);
      const { body } = await original(url);
      expect(body).toContain('"total": 9');
      if (typeof told === 'string') expect(said()).toContain(told);
      else expect(said()).not.toContain('warning');
    }
    if (process.platform === 'win32') return;
    const pipe = join(await folder(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    const piped = start(pipe);
    await writeFile(pipe, json);
    expect((await original(await addressOf(piped))).body).toContain('"total": 9');
  });

  test('is all of it, or nothing', async () => {
    const path = join(await folder(), 'large.json');
    await writeFile(path, '');
    await truncate(path, (256 << 20) + 1);
    const { child, said } = start(path);
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(said()).toMatch(/^error: cannot read '.*large\.json': it has more than the 256 MiB that can be shown\n$/);

    const messages = [{ role: 'tool', tool_call_id: 'a', name: 'get', content: 'found' }, 'no JSON {'];
    const broken = await inspect(
      'messages.ndjson',
      messages.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join('\n') + '\n',
    );
    expect((await original(broken.url)).body).toBe('found');
    expect(broken.said()).toContain('warning: what comes after is not shown: cannot read');
  });

  test('holds up nobody else while it is', async () => {
    const large = text(
      Array.from({ length: 200_000 }, (_, id) => ({ id, title: `Record ${id}`, body: 'Some words about it. '.repeat(4) })),
    );
    const { url } = await inspect('trace.ndjson', line(0, large));
    /** How long the page waits for what it is told of. */
    const told = async () => {
      const from = performance.now();
      const asked = request(`${url}events`).end();
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      let events = '';
      for await (const chunk of answer) if ((events += String(chunk)).includes('data: [')) break;
      expect(events).toContain('"tool_0"');
      return performance.now() - from;
    };
    const from = performance.now();
    let took: number | undefined;
    // What follows the head is written beside everything else.
    const reading = request(`${url}calls/0/original`, (answer) => {
      took = performance.now() - from;
      answer.destroy();
    }).end();
    reading.on('error', () => undefined);
    const waits: number[] = [];
    while (took === undefined) waits.push(await told());
    expect(Math.max(...waits)).toBeLessThan(took / 2);
  });

  test.skipIf(process.platform !== 'linux')('lets go of files of a trace that were removed', async () => {
    const { url, path, child } = await inspect('trace.ndjson', line(0, text('zero')));
    const status = async (n: number) => (await original(url, n)).status;
    for (let n = 1; n < 6; n++) {
      await rename(path, `${path}.old`);
      await writeFile(path, line(n, text(`result ${n}`)));
      await poll(() => status(n)).toBe(200);
    }
    const fds = await readdir(`/proc/${child.pid}/fd`);
    const open = await Promise.all(fds.map((fd) => readlink(`/proc/${child.pid}/fd/${fd}`).catch(() => '')));
    // The one that was removed last goes with the next.
    expect(new Set(open.filter((file) => file.includes('deleted'))).size).toBeLessThanOrEqual(1);
    expect(open.filter((file) => file.includes('trace.ndjson')).length).toBeLessThanOrEqual(5);
    const gone = await original(url);
    expect([gone.status, gone.body]).toEqual([410, 'the recording does not hold this payload\n']);
    expect(await status(5)).toBe(200);
  });

  test('leaves nothing behind, even where a second signal ends it at once', async () => {
    const temporary = await folder();
    const config = several({ s: scripted('--stubborn') });
    const child = spawn(BINARY, ['inspect', ...config], { env: { ...process.env, TMPDIR: temporary } });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += String(chunk)));
    await addressOf({ said: () => said });
    expect(await readdir(temporary)).toEqual([expect.stringMatching(/^snugfit-inspect-[0-9a-f]{32}$/)]);
    const ended = once(child, 'exit');
    const signals = setInterval(() => child.kill('SIGTERM'), 100);
    expect(await ended).toEqual([1, null]);
    clearInterval(signals);
    expect(await readdir(temporary)).toEqual([]);
  });
});

describe.skipIf(CHROMIUM === undefined)(`the page${CHROMIUM === undefined ? ': skipped, since there is no Chromium' : ''}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM!, args: ['--no-sandbox'] });
  });
  afterAll(() => browser.close());

  /** A page that has said nothing wrong by the end of the test. */
  async function show(url: string, options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
    const page = await browser.newPage(options);
    const faults: string[] = [];
    page.on('pageerror', ({ message }) => faults.push(message));
    // That the end of the command ends what is loading is no fault of the page.
    page.on(
      'console',
      (said) => said.type() === 'error' && !/net::ERR_(INCOMPLETE|CONNECTION)/.test(said.text()) && faults.push(said.text()),
    );
    page.on('request', (asked) => asked.url().startsWith(url) || asked.url().startsWith('data:') || faults.push(`asked ${asked.url()}`));
    onTestFinished(async () => {
      expect(faults).toEqual([]);
      await page.close();
    });
    await page.goto(url);
    return page;
  }

  const scrollToEnd = (page: Page, box: string) => page.evaluate(`document.querySelector('${box}').scrollTo(0, 1e9)`);
  const outcome = (page: Page) => page.locator('#outcome:not(:empty)').textContent();
  /** Sets the slider, and waits for the preview. */
  async function slide(page: Page, to: number): Promise<void> {
    const before = await outcome(page);
    await page.locator('#slider').fill(String(to));
    await poll(() => page.textContent('#outcome')).not.toBe(before);
  }

  test('a payload and its preview stand side by side, and what was cut is marked', async () => {
    const { url } = await inspect('result.json', JSON.stringify(issues(200)));
    const page = await show(url);
    expect(await outcome(page)).toMatch(/^\d+,\d+ tokens, nothing is cut$/);
    expect(await page.locator('.row.cut').count()).toBe(0);
    await slide(page, 300);
    expect(await outcome(page)).toMatch(/ → [3-6]\d\d tokens, 9\d % saved$/);
    expect(await page.locator('#original .row.cut').count()).toBeGreaterThan(3);
    expect(await page.locator('#original .row.cut').first().textContent()).toContain('body');
    await scrollToEnd(page, '#preview');
    await poll(() => page.locator('#preview .row.new', { hasText: 'truncation' }).count()).toBe(1);
    // The same text in words of a screen reader: nothing is told by colour alone.
    expect(await page.locator('#original .row.cut').first().getAttribute('data-mark')).toBe('−');

    const top = () => page.evaluate<number>(`document.querySelector('#original').scrollTop`);
    await scrollToEnd(page, '#original');
    const end = await top();
    await page.click('#previous');
    expect(await top()).toBeLessThan(end);
    await page.fill('#budget', '2000');
    await poll(() => page.locator('#outcome').textContent()).toMatch(/ → (1,[5-9]|2,0)\d\d tokens/);
    await page.click('#as-sent');
    await poll(() => page.locator('#outcome').textContent()).toMatch(/nothing is cut$/);
  });

  test('a recording of 10,000 calls is in the document only as far as it is in sight', async () => {
    const result = text(issues(20));
    const { url } = await inspect(
      'trace.ndjson',
      Array.from({ length: 10_000 }, (_, n) => line(n, result, { tokensBefore: 2000, tokensAfter: 500 })).join(''),
    );
    const page = await show(url, { viewport: { width: 1280, height: 800 } });
    await poll(() => page.textContent('#count')).toBe('10,000');
    expect(await page.textContent('#tokens')).toBe('20M → 5M');
    expect(await page.textContent('#saved')).toBe('75 %');
    expect(await page.locator('#line').getAttribute('d')).toMatch(/^M0,38 L0\.0,38\.0 .*L240\.0,2\.0$/);
    expect(await page.locator('#chart').getAttribute('aria-label')).toContain('15,000,000');
    const nodes = () => page.evaluate<number>(`document.querySelectorAll('*').length`);
    expect(await nodes()).toBeLessThan(600);
    await scrollToEnd(page, '#rows');
    await poll(() => page.locator('#rows [role=option]').last().textContent()).toContain('tool_0');
    expect(await nodes()).toBeLessThan(600);

    await page.fill('#filter', 'TOOL_777');
    expect(await page.locator('#rows [role=option]').first().textContent()).toContain('git.tool_7779');
    expect(await page.locator('#rows [role=option]').first().getAttribute('aria-setsize')).toBe('11');
  });

  test('everything is reached by keyboard, and told to screen readers', async () => {
    const { url } = await inspect('trace.ndjson', [0, 1, 2].map((n) => line(n, text(`result ${n}`))).join(''));
    const page = await show(url);
    await poll(() => page.textContent('#detail-title')).toBe('git · tool_2');
    await page.locator('#rows').focus();
    for (const [key, tool] of [
      ['ArrowDown', 1],
      ['End', 0],
      ['ArrowUp', 1],
      ['Home', 2],
    ] as const) {
      await page.keyboard.press(key);
      await poll(() => page.textContent('#detail-title')).toBe(`git · tool_${tool}`);
      const active = await page.locator('#rows').getAttribute('aria-activedescendant');
      expect(await page.locator(`#${active!}`).getAttribute('aria-selected')).toBe('true');
    }
    const reached = new Set<string>();
    for (let n = 0; n < 14; n++) {
      await page.keyboard.press('Tab');
      reached.add(await page.evaluate<string>('document.activeElement.id'));
    }
    for (const id of ['slider', 'budget', 'as-sent', 'original', 'preview', 'show-calls', 'show-lists', 'save'])
      expect([...reached]).toContain(id);
  });

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 420],
  ] as const)('axe finds nothing: %s, %i pixels wide', async (colorScheme, width) => {
    const definition = { name: 'list', description: 'This tool lists.', inputSchema: { type: 'object' } };
    const lists = ['in', 'out'].map((dir) =>
      line(0, { tools: [definition] }, { method: 'tools/list', dir, ...(dir === 'out' && { upstream: undefined }) }),
    );
    const { url } = await inspect('trace.ndjson', [...lists, line(1, text(issues(100))), line(2, text(log(500)), { ok: false })].join(''));
    const page = await show(url, { colorScheme, viewport: { width, height: 900 }, reducedMotion: 'reduce' });
    await outcome(page);
    await page.locator('#rows [role=option]').last().click();
    await poll(() => page.textContent('#detail-title')).toBe('git · tool_1');
    await slide(page, 200);
    const find = async () => {
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate<AxeResults>('axe.run()');
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    };
    expect(await find()).toEqual([]);
    await page.click('#show-lists');
    await page.locator('#lists button').click();
    expect(await page.locator('#lists pre').count()).toBe(2);
    expect(await find()).toEqual([]);
    // Nothing is wider than the window.
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  });

  test('what a payload holds stays text', async () => {
    const evil = '<img src=x onerror="window.hit=1"></script><script>window.hit=2</script>';
    const hostile = { [evil]: evil, '__proto__ ': evil, list: Array.from({ length: 300 }, (_, n) => `${evil}${n}\u2028\u202e`) };
    const tool = { name: evil, description: evil, inputSchema: { type: 'object' } };
    const lines = [
      line(0, { tools: [tool] }, { method: 'tools/list', upstream: evil }),
      line(1, text(hostile), { name: evil, upstream: evil }),
    ];
    const { url } = await inspect('trace.ndjson', lines.join(''));
    const page = await show(url);
    await slide(page, 200);
    expect(await page.textContent('#detail-title')).toBe(`${evil} · ${evil}`);
    await page.click('#show-lists');
    await page.locator('#lists button').click();
    expect(await page.locator('img, script:not([src])').count()).toBe(0);
    expect(await page.evaluate(`'hit' in window`)).toBe(false);
  });

  test('a large payload: while one preview is made only the latest wish is kept', async () => {
    const { url } = await inspect('large.json', JSON.stringify(issues(7000)));
    const page = await show(url);
    await outcome(page);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.evaluate(`{
      const slider = document.querySelector('#slider');
      for (let value = 1000; value >= 0; value--) {
        slider.value = String(value);
        slider.dispatchEvent(new Event('input'));
      }
    }`);
    await poll(() => page.textContent('#outcome')).toMatch(/ → \d\d+ tokens/);
    expect(asked.length).toBeLessThanOrEqual(2);
    expect(asked.at(-1)).toMatch(/\?tokens=120$/);
    expect(await page.evaluate<number>(`document.querySelectorAll('*').length`)).toBeLessThan(600);
  });

  test('a preview that fails keeps no other from being made', async () => {
    const { url } = await inspect('result.json', JSON.stringify(issues(200)));
    const page = await show(url);
    await outcome(page);
    for (const [fulfilled, said] of [
      [{ status: 200, contentType: 'application/json', body: '{' }, /^The preview could not be made: .*JSON/],
      [{ status: 200, contentType: 'application/json', body: '{}' }, /^The preview could not be made: /],
    ] as const) {
      await page.route('**/preview?tokens=777', (route) => route.fulfill(fulfilled));
      await page.fill('#budget', '777');
      await poll(() => page.textContent('#outcome')).toMatch(said);
      await page.unroute('**/preview?tokens=777');
      await page.fill('#budget', '600');
      await poll(() => page.textContent('#outcome')).toMatch(/ → [3-6]\d\d tokens/);
    }
  });

  test('what is wished while a preview is made stands where it was put', async () => {
    const { url } = await inspect('result.json', JSON.stringify(issues(200)));
    const page = await show(url);
    await outcome(page);
    const before = await page.inputValue('#slider');
    let go: (value?: unknown) => void = () => undefined;
    const held = new Promise((resolve) => (go = resolve));
    await page.route('**/preview', async (route) => {
      await held;
      await route.continue();
    });
    await page.click('#as-sent');
    await page.fill('#budget', '500');
    await page.locator('#as-sent').focus();
    const wished = await page.inputValue('#slider');
    expect(Number(wished)).toBeLessThan(Number(before) - 100);
    go();
    await poll(() => page.textContent('#outcome')).toMatch(/ → [3-5]\d\d tokens/);
    expect(await page.inputValue('#slider')).toBe(wished);
    expect(await page.inputValue('#budget')).toBe('500');
  });

  test('a trace is followed, saved, and opened again', async () => {
    const { url, path } = await inspect('trace.ndjson', line(0, text('zero')));
    const page = await show(url);
    await poll(() => page.textContent('#count')).toBe('1');
    await appendFile(path, line(1, text(issues(60))));
    await poll(() => page.textContent('#count')).toBe('2');
    expect(await page.textContent('#detail-title'), 'who reads is not disturbed').toBe('git · tool_0');

    const [download] = await Promise.all([page.waitForEvent('download'), page.click('#save')]);
    const saved = await readFile(await download.path(), 'utf8');
    expect(saved).toBe(line(0, text('zero')) + line(1, text(issues(60))));
    const again = await inspect('session.ndjson', saved);
    const reopened = await show(again.url);
    await poll(() => reopened.textContent('#count')).toBe('2');
  });

  test('messages of model APIs are read as well', async () => {
    const messages = [
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: '1', toolName: 'get', output: { type: 'json', value: issues(9) } }] },
    ];
    const { url } = await inspect('messages.json', JSON.stringify(messages));
    const page = await show(url);
    await poll(() => page.textContent('#detail-title')).toBe('get');
    expect(await page.locator('#original .row').nth(1).textContent()).toContain('"total": 9');
  });

  test('the proxy shows its calls as they happen, and leaves nothing behind', async () => {
    const before = await readdir(tmpdir());
    const config = several({ s: scripted(), t: scripted('--name', 't') }, { results: { budget: { chars: 2000 } } });
    const proxy = open(config, [BINARY, 'inspect']);
    const url = await addressOf(proxy);
    const page = await show(url);
    await proxy.initialize();
    await proxy.request(1, 'tools/list');
    await proxy.call(2, 's__big', { n: 50 });
    await poll(() => page.textContent('#count')).toBe('1');
    await poll(() => page.textContent('#detail-title')).toBe('s · big');
    // The preview is the one that the client was sent.
    expect(await outcome(page)).toMatch(/ → [4-9]\d\d tokens/);
    await scrollToEnd(page, '#preview');
    await poll(() => page.locator('#preview .row', { hasText: '"response_id":' }).count()).toBe(1);
    await page.click('#show-lists');
    await poll(() => page.locator('#lists caption').allTextContents()).toEqual([
      expect.stringMatching(/^s: [\d,]+ → [\d,]+ tokens$/),
      expect.stringMatching(/^t: [\d,]+ → [\d,]+ tokens$/),
      expect.stringMatching(/^Shown to the client for all servers/),
    ]);
    proxy.child.stdin.end();
    await proxy.ended;
    await poll(() => page.textContent('#state')).toContain('has ended');
    const left = (await readdir(tmpdir())).filter((name) => name.startsWith('snugfit-inspect-') && !name.includes('test'));
    expect(left.filter((name) => !before.includes(name))).toEqual([]);
  });
});
