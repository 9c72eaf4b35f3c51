// Commands and modules in the place of the tools, used as an agent uses them: from a shell and by programs.
import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, test } from 'vitest';
import { MISTAKEN, REFUSED, send } from '../support/bridge.ts';
import { runProgram } from '../support/code.ts';
import { onlyOnPath, run, temporaryFolder } from '../support/shell.ts';
import { BINARY, connect, official, scripted, several, textOf, until } from './support.ts';

/** A proxy with programs in a folder, and complete results in another. */
async function open(mode: string[], server: string[] = ['--', ...scripted()]) {
  const [programs, files] = [await temporaryFolder(), await temporaryFolder()];
  const args = [...mode, '--max-chars', '2000', '--output-dir', programs, '--files-dir', files, ...server];
  const proxy = await connect(args);
  await until(() => proxy.said().includes(programs), 'the programs');
  const shell = (line: string) => run('/bin/sh', ['-c', line], { env: { ...process.env, PATH: `${programs}:${process.env.PATH!}` } });
  return { ...proxy, programs, files, shell };
}

/** What a preview says of the file with the complete result. */
const fileIn = (text: string) => /"original_response_file":\s?"([^"]+)"/.exec(text)?.[1] ?? '';
const resultIn = async (file: string) => JSON.parse(await readFile(file, 'utf8')) as CallToolResult;

describe('--cli-mode', () => {
  test('a client sees one tool, which tells of the command', async () => {
    const { client, call, programs } = await open(['--cli-mode', '--server-name', 'inventory']);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['inventory_help']);
    expect(tools[0]!.description).toContain(`inventory is in ${programs}`);
    expect(tools[0]!.description).toContain('\necho: Does what echo says\n');
    expect(textOf(await call('inventory_help', { command: 'echo' }))).toContain('Usage: inventory echo');
    expect(textOf(await call('inventory_help'))).toContain('Usage: inventory <command>');
    expect(await call('inventory_help', { command: 'nothing' })).toMatchObject({ isError: true });
    await expect(call('echo')).rejects.toThrow('there is no tool');
    expect((await stat(join(programs, 'inventory'))).mode & 0o777).toBe(0o700);
    expect((await stat(join(programs, '.inventory.conf'))).mode & 0o777).toBe(0o600);
  });

  test.for(['curl', 'python3', 'node'])('the command works with only %s on the PATH', async (program, { skip }) => {
    const path = await onlyOnPath(program);
    if (path === undefined) return skip(`${program} is not installed`);
    const { programs } = await open(['--cli-mode']);
    const ran = await run('/bin/sh', [join(programs, 'scripted'), 'echo', '--json', '{"a":"ü & \\n"}'], { env: { PATH: path } });
    expect(ran).toEqual({ stdout: '{"a":"ü & \\n"}', stderr: '', exitCode: 0 });
  });

  test('results go to stdout, errors to stderr, each with its exit code', async () => {
    const { shell, files } = await open(['--cli-mode', '--server-name', 'shop']);
    expect(await shell('shop structured --n 7 | tr n m')).toEqual({ stdout: '{"m":7}', stderr: '', exitCode: 0 });
    expect(await shell(`echo '{"n":3}' | shop structured --json -`)).toMatchObject({ stdout: '{"n":3}' });
    expect(await shell('shop structured --n seven')).toMatchObject({
      stdout: '',
      exitCode: 2,
      stderr: expect.stringContaining('--n') as string,
    });
    const failed = await shell('shop fail');
    expect(failed).toMatchObject({ stdout: '', exitCode: 1 });
    expect(failed.stderr).toContain('Caused by: the disk is full');
    expect(failed.stderr.length).toBeLessThanOrEqual(2001);
    expect(await shell('shop refuse')).toEqual({ stdout: '', stderr: 'refused\n', exitCode: 1 });
    expect((await shell('shop image | wc -c')).stdout.trim().length).toBeGreaterThanOrEqual(6);
    expect(await readdir(files)).toEqual([]);
  });

  test('the complete result of a preview is in a private file, which outlives the proxy', async () => {
    const { client, shell, files, programs } = await open(['--cli-mode', '--server-name', 'shop']);
    const { stdout } = await shell('shop both');
    expect(stdout.length).toBeLessThanOrEqual(2000);
    const file = fileIn(stdout);
    expect(file).toMatch(new RegExp(`^${files}/snugfit-response-[0-9a-f-]{36}\\.json$`));
    expect(JSON.parse(stdout)).toMatchObject({ truncation: { complete: false, original_response_file: file } });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await client.close();
    const original = await resultIn(file);
    expect(original.structuredContent).toHaveProperty(['records', 999, 'id'], 999);
    expect(JSON.parse(textOf(original))).toHaveProperty(['records', 999, 'id'], 999);
    expect((await shell('shop echo')).stderr).toMatch(/^shop: no answer from its session/);

    expect((await shell(`${BINARY} clean --older-than 1h --files-dir ${files}`)).stderr).toBe('0 files of 0.0 MB removed\n');
    expect((await shell(`${BINARY} clean --older-than 0s --files-dir ${files}`)).stderr).toMatch(/^1 file of /);
    expect(await readdir(files)).toEqual([]);
    expect(await readdir(programs)).toHaveLength(2);
  });

  test('without folders of its own it uses private ones in the temporary folder, and removes that of the command', async () => {
    const temporary = await temporaryFolder();
    const { client, said } = await connect(['--cli-mode', '--max-chars', '2000', '--', ...scripted()], { env: { TMPDIR: temporary } });
    await until(() => said().includes(`in ${temporary}/snugfit-`), 'the programs');
    const [folder] = await readdir(temporary);
    expect((await stat(join(temporary, folder!))).mode & 0o777).toBe(0o700);
    const { stdout } = await run(join(temporary, folder!, 'scripted'), ['text']);
    expect(fileIn(stdout)).toContain(`${temporary}/snugfit-response-`);
    await client.close();
    await expect.poll(() => readdir(temporary)).toEqual([expect.stringMatching(/^snugfit-response-/)]);
  });

  test('a file that cannot be written, or a budget that holds no notice, fails the call', async () => {
    const blocked = join(await temporaryFolder(), 'file');
    await writeFile(blocked, 'no folder');
    const programs = await temporaryFolder();
    const start = async (files: string, chars: string) => {
      const proxy = await connect([
        '--cli-mode',
        '--server-name',
        'shop',
        '--output-dir',
        programs,
        '--files-dir',
        files,
        '--max-chars',
        chars,
        '--',
        ...scripted(),
      ]);
      await until(() => proxy.said().includes(programs), 'the programs');
      return run(join(programs, 'shop'), ['big']);
    };
    expect(await start(blocked, '2000')).toMatchObject({
      stdout: '',
      exitCode: 1,
      stderr: expect.stringContaining(`${blocked}/`) as string,
    });
    const long = join(await temporaryFolder(), 'x'.repeat(200), 'y'.repeat(200));
    const impossible = await start(long, '400');
    expect(impossible).toMatchObject({ stdout: '', exitCode: 1, stderr: expect.stringContaining('The tool has run') as string });
    await expect(readdir(long)).rejects.toThrow('ENOENT');
  });

  test('several servers have a command each', async () => {
    const { client, shell } = await open(['--cli-mode'], several({ files: official('filesystem', '.'), other: scripted() }));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['files_help', 'other_help']);
    expect((await shell('files list-allowed-directories')).stdout).toContain('Allowed');
    expect((await shell('other structured --n 5')).stdout).toBe('{"n":5}');
    expect((await client.readResource({ uri: 'test://shared' })).contents).toHaveLength(1);
  });

  test('a filtered tool is no subcommand', async () => {
    const { shell } = await open(['--cli-mode', '--server-name', 'shop', '--exclude', 'ech*']);
    expect(await shell('shop echo')).toMatchObject({ exitCode: 2 });
    expect(await shell('shop structured')).toMatchObject({ exitCode: 0 });
  });
});

describe('--code-mode', () => {
  test.each(['python', 'typescript'] as const)('a module of %s', async (language) => {
    const { client, programs, files } = await open(['--code-mode', language, '--server-name', 'shop']);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['shop_help']);
    expect(tools[0]!.description).toContain(programs);
    const program = {
      python: `import json, shop
preview = shop.big()
try:
    shop.structured_json(pad=1000)
except shop.PreviewError as error:
    cut = error.notice["original_response_file"]
print(json.dumps([shop.structured_json(n=4), shop.structured(n=5), preview, cut]))`,
      typescript: `import { PreviewError, big, structured } from "./shop.ts";
let cut;
try { await structured.json({ pad: 1000 }); } catch (error) { if (error instanceof PreviewError) cut = error.notice.original_response_file; }
console.log(JSON.stringify([await structured.json({ n: 4 }), await structured({ n: 5 }), await big(), cut]));`,
    }[language];
    const ran = await runProgram(language, programs, program, process.env);
    expect(ran.stderr).toBe('');
    const [value, text, preview, cut] = JSON.parse(ran.stdout) as [object, string, string, string];
    expect([value, text]).toEqual([{ n: 4 }, '{"n":5}']);
    expect(preview.length).toBeLessThanOrEqual(2000);
    expect((await resultIn(fileIn(preview))).content).toHaveLength(1);
    expect((await resultIn(cut)).structuredContent).toHaveProperty(['lines', 999]);
    expect(await readdir(files)).toHaveLength(2);
  });
});

describe('the bridge keeps the contract', () => {
  async function place(server = ['--server-name', 'shop', '--', ...scripted()]) {
    const { programs } = await open(['--cli-mode'], server);
    const secrets = await readFile(join(programs, '.shop.conf'), 'utf8');
    return { url: /url = "(.*)\/cli"/.exec(secrets)![1]!, token: /Bearer (.*)"/.exec(secrets)![1]! };
  }

  test('refuses who is not let in, and says what was wrong', { timeout: 60_000 }, async () => {
    const bridge = await place();
    for (const [who, status, options] of REFUSED) {
      for (const path of ['/exec', '/cli']) {
        const answer = await send(bridge, path, { body: path === '/exec' ? '{"tool":"echo"}' : 'arg=echo', ...options });
        expect(answer.status, who).toBe(status);
        expect(answer.body).not.toContain(bridge.token);
      }
    }
    for (const [what, path, options, status, said] of MISTAKEN)
      expect(await send(bridge, path, options), what).toMatchObject({ status, body: expect.stringContaining(said) as string });
    const health = { url: new URL(bridge.url).origin, token: '' };
    expect(await send(health, '/health', { method: 'GET' })).toEqual({ status: 200, body: '{"ok":true}' });
    const structured = { tool: 'structured', input: { n: 2 } };
    expect(await send(bridge, '/exec', { body: JSON.stringify(structured) })).toEqual({ status: 200, body: '{"result":"{\\"n\\":2}"}' });
  });

  test('a large request holds memory only until it is taken apart', async () => {
    const bridge = await place(several({ shop: scripted() }, { limits: { messageBytes: '128KiB' } }));
    const body = JSON.stringify({ tool: 'slow', input: { ms: 1500, pad: 'x'.repeat(200_000) } });
    const first = send(bridge, '/exec', { body });
    await new Promise((resolve) => setTimeout(resolve, 500));
    for (const answer of [send(bridge, '/exec', { body }), first])
      expect(await answer).toEqual({ status: 200, body: '{"result":"slept 1500"}' });
  });

  test('a program that goes away has its call cancelled', async () => {
    const bridge = await place();
    const controller = new AbortController();
    const headers = { authorization: `Bearer ${bridge.token}` };
    const hanging = fetch(`${bridge.url}/exec`, { method: 'POST', headers, body: '{"tool":"hang"}', signal: controller.signal });
    await new Promise((resolve) => setTimeout(resolve, 300));
    controller.abort();
    await expect(hanging).rejects.toThrow();
    await expect.poll(async () => (await send(bridge, '/cli', { body: 'arg=cancelled' })).body).toMatch(/^\[\{"requestId":\d+,.*\}\]0$/);
  });
});
