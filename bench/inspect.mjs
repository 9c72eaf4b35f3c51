// How quick the page of `snugfit inspect` is, in a real browser: the first paint on a trace of 10,000 calls, and a payload of 2 MB under the slider.
//
//   node bench/inspect.mjs [path of Chromium]
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { platformName } from '../bin/platform.js';

const BINARY = fileURLToPath(new URL(`../npm/${platformName()}/bin/snugfit`, import.meta.url));
const RUNS = 5;
const CHROMIUM = process.argv[2] ?? '/usr/bin/chromium';

if (!existsSync(CHROMIUM)) {
  console.log(`no Chromium at ${CHROMIUM}: nothing is measured`);
  process.exit(0);
}

const folder = mkdtempSync(join(tmpdir(), 'snugfit-bench-'));
const records = (count) =>
  Array.from({ length: count }, (_, id) => ({
    id,
    title: `Record ${id}`,
    state: id % 5 ? 'open' : 'closed',
    body: 'Some words. '.repeat(9),
  }));
const text = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });
const result = text(records(30));
const line = (n) => {
  const about = {
    time: new Date(1.8e12 + n * 1000).toISOString(),
    dir: 'in',
    upstream: 'git',
    method: 'tools/call',
    name: `tool_${n % 9}`,
  };
  return JSON.stringify({ ...about, ok: true, durMs: 5, tokensBefore: 1700, tokensAfter: 500, result });
};

/** Serves a file, and gives the page's address. */
async function inspect(name, content) {
  const path = join(folder, name);
  writeFileSync(path, content);
  const child = spawn(BINARY, ['inspect', path], { cwd: folder });
  const url = await new Promise((resolve, reject) => {
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += String(chunk);
      const found = /inspect: (\S+)/.exec(said);
      if (found) resolve(found[1]);
    });
    child.on('exit', () => reject(new Error(said)));
  });
  return { url, end: () => child.kill() };
}

/** The middle one of several runs. */
async function median(run) {
  const taken = [];
  for (let n = 0; n < RUNS; n++) taken.push(await run());
  return taken.sort((a, b) => a - b)[RUNS >> 1].toFixed(0);
}

const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
try {
  const trace = await inspect('trace.ndjson', Array.from({ length: 10_000 }, (_, n) => `${line(n)}\n`).join(''));
  const painted = await median(async () => {
    const page = await browser.newPage();
    await page.goto(trace.url);
    await page.waitForFunction(`document.querySelector('#count').textContent === '10,000'`);
    const time = await page.evaluate(`performance.getEntriesByName('first-contentful-paint')[0].startTime`);
    await page.close();
    return time;
  });
  console.log(`first paint on a trace of 10,000 calls: ${painted} ms`);
  trace.end();

  const payload = JSON.stringify(records(11_500));
  const large = await inspect('large.json', payload);
  const page = await browser.newPage();
  await page.goto(large.url);
  await page.waitForSelector('#outcome:not(:empty)');
  const refit = await median(() =>
    page.evaluate(`(async () => {
      const began = performance.now();
      await (await fetch('calls/0/preview?tokens=' + (2000 + Math.round(Math.random() * 8000)))).json();
      return performance.now() - began;
    })()`),
  );
  console.log(`a preview of ${(payload.length / 1e6).toFixed(1)} MB, made and read: ${refit} ms`);
  const frame = await median(() =>
    page.evaluate(`(async () => {
      const slider = document.querySelector('#slider');
      let [last, longest] = [performance.now(), 0];
      for (let step = 0; step < 60; step++) {
        slider.value = String(1000 - step * 12);
        slider.dispatchEvent(new Event('input'));
        await new Promise(requestAnimationFrame);
        longest = Math.max(longest, performance.now() - last);
        last = performance.now();
      }
      return longest;
    })()`),
  );
  console.log(`longest frame while the slider moves: ${frame} ms`);
  large.end();
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
