// Clients and servers that others wrote. `.ci/run` installs them under target/; a test whose program is not there is skipped, and says so.
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { RECOVERY_TOOL as RECOVERY } from '../../host/recover.ts';
import { BINARY, connect, scripted, textOf } from './support.ts';

const run = promisify(execFile);
const path = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const installed = (file: string) => path(`../../target/clients/node_modules/${file}`);

const PYTHON = path('../../target/mcp/bin/python');
const INSPECTOR = installed('@modelcontextprotocol/inspector/cli/build/cli.js');
const AI_SDK = installed('@ai-sdk/mcp/dist/index.mjs');
const PLAYWRIGHT = installed('@playwright/mcp/cli.js');
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync) ?? '';

/** Skips a test, and says why, where something that it needs is not there. */
function needs(skip: (why: string) => void, ...files: string[]): void {
  for (const file of files) if (!existsSync(file)) skip(`${file || 'Chromium'} is not installed`);
}

const proxied = (...server: string[]) => [BINARY, 'proxy', '--max-chars', '4000', '--', ...server];

test.for(['legacy', 'auto'])('the Python SDK as client, negotiating %s', { timeout: 60_000 }, async (mode, { skip }) => {
  needs(skip, PYTHON);
  const { stdout } = await run(PYTHON, [path('python/client.py'), mode, ...proxied(...scripted())]);
  const seen = JSON.parse(stdout) as { version: string; tools: string[]; size: number; part: string; resource: string };
  expect(seen.tools).toContain(RECOVERY);
  expect(seen.size).toBeLessThanOrEqual(4000);
  expect(seen.part).toContain('Record 321');
  expect(seen.resource).toContain('test://shared');
});

test('a FastMCP server', { timeout: 60_000 }, async ({ skip }) => {
  needs(skip, PYTHON);
  const { client, call } = await connect(proxied(PYTHON, path('python/server.py')).slice(2));
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['records', 'fail', RECOVERY]);
  expect(tools[0]).not.toHaveProperty('outputSchema');
  expect(client.getInstructions()).toContain('Ask for few records.');
  const steps: number[] = [];
  const asked = { name: 'records', arguments: { n: 300 } };
  const large = (await client.callTool(asked, undefined, { onprogress: ({ progress }) => steps.push(progress) })) as CallToolResult;
  expect(steps).toEqual([1, 2]);
  expect(JSON.stringify(large).length).toBeLessThan(6000);
  const id = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(JSON.stringify(large))![0];
  expect(textOf(await call(RECOVERY, { response_id: id, search: 'Record 299 ' }))).toContain('Record 299');
  // What fits passes whole, the structured part as well.
  expect((await call('records', { n: 2 })).structuredContent).toMatchObject({ result: [{ id: 0 }, { id: 1 }] });
  expect(await call('fail')).toMatchObject({ isError: true });
  expect((await client.readResource({ uri: 'data://greeting' })).contents).toMatchObject([{ text: 'hello' }]);
});

test("the Inspector's command line", { timeout: 60_000 }, async ({ skip }) => {
  needs(skip, INSPECTOR);
  const inspect = async (...args: string[]) => {
    const { stdout } = await run(process.execPath, [INSPECTOR, '--cli', ...proxied(...scripted()), ...args]);
    return JSON.parse(stdout) as { tools: { name: string }[] } & CallToolResult;
  };
  expect((await inspect('--method', 'tools/list')).tools.map(({ name }) => name)).toContain(RECOVERY);
  const result = await inspect('--method', 'tools/call', '--tool-name', 'big', '--tool-arg', 'n=500');
  expect(JSON.parse(textOf(result))).toMatchObject({ total: 500, truncation: { complete: false } });
});

/** What is used here of the AI SDK. */
interface AiSdk {
  createMCPClient: (options: { transport: object }) => Promise<{
    tools(): Promise<Record<string, { execute(input: object, options: object): Promise<unknown> }>>;
    close(): Promise<void>;
  }>;
}
interface AiSdkStdio {
  Experimental_StdioMCPTransport: new (options: { command: string; args: string[]; stderr: 'ignore' }) => object;
}

test("the AI SDK's MCP client", { timeout: 60_000 }, async ({ skip }) => {
  needs(skip, AI_SDK);
  const { createMCPClient } = (await import(pathToFileURL(AI_SDK).href)) as AiSdk;
  const stdio = (await import(pathToFileURL(join(AI_SDK, '../mcp-stdio/index.mjs')).href)) as AiSdkStdio;
  const Transport = stdio.Experimental_StdioMCPTransport;
  const [command, ...args] = proxied(...scripted()) as [string, ...string[]];
  const client = await createMCPClient({ transport: new Transport({ command, args, stderr: 'ignore' }) });
  onTestFinished(() => client.close());
  const tools = await client.tools();
  const call = async (name: string, input: object) =>
    textOf((await tools[name]!.execute(input, { toolCallId: '1', messages: [] })) as CallToolResult);
  const { truncation } = JSON.parse(await call('big', { n: 500 })) as { truncation: { response_id: string } };
  expect(await call(RECOVERY, { response_id: truncation.response_id, path: '/records/321' })).toContain('Record 321');
});

test('Playwright with Chromium: a button is pressed by a ref that the preview of a page names', { timeout: 120_000 }, async ({ skip }) => {
  needs(skip, PLAYWRIGHT, CHROMIUM);
  const row = (n: number) =>
    `<li><p>Row ${n} ${'words '.repeat(12)}</p><button onclick="document.title = 'pressed ${n}'">Press ${n}</button>`;
  const page = `<title>rows</title><ul>${Array.from({ length: 1500 }, (_, n) => row(n)).join('')}</ul>`;
  const site = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(page));
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    site.closeAllConnections();
    site.close();
  });
  const output = await mkdtemp(join(tmpdir(), 'snugfit-'));
  const options = ['--headless', '--no-sandbox', '--isolated', '--output-dir', output, '--executable-path', CHROMIUM];
  const { call } = await connect(proxied(process.execPath, PLAYWRIGHT, ...options).slice(2));
  await call('browser_navigate', { url: `http://127.0.0.1:${(site.address() as AddressInfo).port}/` });
  const preview = textOf(await call('browser_snapshot'));
  expect(preview.length).toBeLessThanOrEqual(4000);
  const [, n, ref] = /button "Press (\d+)" \[ref=(e\d+)\]/.exec(preview) ?? [];
  expect(ref, preview).toBeDefined();
  const pressed = textOf(await call('browser_click', { element: `Press ${n}`, target: ref }));
  expect(pressed).toContain(`pressed ${n}`);
});
