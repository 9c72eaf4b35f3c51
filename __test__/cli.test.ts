import { execFileSync } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { transformToolsForCliMode } from '../host/index.ts';
import { failureOf } from './support/errors.ts';
import { charsOf, idOf, partOf } from './support/notice.ts';
import { isTaken, onlyOnPath, run, temporaryFolder } from './support/shell.ts';
import { issues } from './support/samples.ts';

const inputSchema = { type: 'object', properties: { query: { type: 'string' }, n: { type: 'integer' } }, required: ['query'] };
const shop = () => ({
  searchItems: { description: 'Finds items, e.g. bolts. Quickly.', inputSchema, execute: async (): Promise<unknown> => issues(2000) },
  echo: { inputSchema, execute: async ({ query }: { query: string }) => query },
  fail: { inputSchema: {}, execute: async () => ({ content: [{ type: 'text', text: 'out of stock' }], isError: true }) },
  crash: { inputSchema: {}, execute: () => Promise.reject(new Error('no connection')) },
});

async function open(tools: object = shop(), options: object = {}) {
  const outputDir = await temporaryFolder();
  const cli = await transformToolsForCliMode(tools, { serverName: 'inventory', outputDir, ...options });
  const command = join(outputDir, 'inventory');
  return {
    cli,
    outputDir,
    command,
    exec: (args: string[], env?: NodeJS.ProcessEnv) => run('/bin/sh', [command, ...args], { ...(env && { env }) }),
  };
}

describe('the generated command', () => {
  describe.each(['curl', 'python3', 'node'])('with only %s on the PATH', (program) => {
    it('calls a tool, gets a preview, and the original; after close it says why it fails', async ({ skip }) => {
      const path = await onlyOnPath(program);
      if (path === undefined) return skip(`${program} is not installed`);
      const { cli, exec } = await open(shop(), { shrinkfit: 2000 });
      const env = { PATH: path };

      expect(await exec(['echo', '--query', 'ünï & "quoted" \n %41+ 🙂'], env)).toEqual({
        stdout: 'ünï & "quoted" \n %41+ 🙂',
        stderr: '',
        exitCode: 0,
      });

      const preview = await exec(['search-items', '--query', 'bolt'], env);
      expect([preview.exitCode, preview.stderr]).toEqual([0, '']);
      expect(charsOf(preview.stdout)).toBeLessThanOrEqual(2000);
      const original = await exec(['compressor-recover-response', '--response-id', idOf(preview.stdout)], env);
      expect(original.stdout).toBe(JSON.stringify(issues(2000)));
      const recover = ['compressor-recover-response', '--response-id', idOf(preview.stdout)];
      const part = await exec([...recover, '--path', '/issues/1500'], env);
      expect(partOf(part.stdout)).toEqual(issues(2000).issues[1500]);
      expect((await exec([...recover, '--search', 'PROJ-1777'], env)).stdout).toContain('PROJ-1777');

      expect(await exec(['fail'], env)).toEqual({ stdout: '', stderr: 'out of stock\n', exitCode: 1 });
      expect(await exec(['crash'], env)).toEqual({ stdout: '', stderr: 'no connection\n', exitCode: 1 });
      expect((await exec(['search-items'], env)).exitCode).toBe(2);
      expect((await exec([], env)).stdout).toContain('search-items: Finds items, e.g. bolts\n');

      await cli.close();
      const closed = await exec(['echo', '--query', 'x'], env);
      expect(closed).toMatchObject({ stdout: '', exitCode: 1 });
      expect(closed.stderr).toMatch(/^inventory: no answer from its session, which is closed/);
    });

    it('reads stdin for --json -', async ({ skip }) => {
      const path = await onlyOnPath(program);
      if (path === undefined) return skip(`${program} is not installed`);
      const { cli, command } = await open();
      const stdin = JSON.stringify({ query: `ü&=+\n${'x'.repeat(300_000)}` });
      const { stdout, exitCode } = await run('/bin/sh', [command, 'echo', '--json', '-'], { env: { PATH: path }, stdin });
      expect([exitCode, stdout.length]).toEqual([0, 5 + 300_000]);
      await cli.close();
    });
  });

  it('says what it needs where nothing of it is there', async () => {
    const { cli, exec } = await open();
    expect(await exec(['echo'], { PATH: '/nowhere' })).toEqual({
      stdout: '',
      stderr: 'inventory: needs curl, python3 or node on the PATH\n',
      exitCode: 1,
    });
    await cli.close();
  });

  it('is found by the environment, and works from another folder through pipes', async () => {
    const { cli } = await open();
    const env = { ...process.env, ...cli.environment };
    const line = 'cd / && inventory echo --query "a b" | tr a-z A-Z && inventory nothing 2>&1 >/dev/null | head -c 20';
    expect((await run('/bin/sh', ['-c', line], { env })).stdout).toBe('A Binventory: there is ');
    await cli.close();
  });

  it('is private, and nothing of the token is in it or on a command line', async () => {
    const { cli, outputDir, command } = await open();
    expect(await readdir(outputDir)).toEqual(['.inventory.conf', 'inventory']);
    expect((await stat(command)).mode & 0o777).toBe(0o700);
    expect((await stat(join(outputDir, '.inventory.conf'))).mode & 0o777).toBe(0o600);
    expect(cli.paths).toEqual([command, join(outputDir, '.inventory.conf')]);
    expect(await readFile(command, 'utf8')).toBe(cli.files.inventory);
    expect(cli.files.inventory).not.toContain(cli.token);
    expect(JSON.stringify(cli.environment)).not.toContain(cli.token);
    execFileSync('/bin/sh', ['-n', command]);
    await cli.close();
  });

  it('takes the place of an older one', async () => {
    const first = await open();
    await first.cli.close();
    const cli = await transformToolsForCliMode(shop(), { serverName: 'inventory', outputDir: first.outputDir });
    expect((await first.exec(['echo', '--query', 'new'])).stdout).toBe('new');
    expect(await readdir(first.outputDir)).toHaveLength(2);
    await cli.close();
  });
});

describe('transformToolsForCliMode', () => {
  it('writes nothing without a folder', async () => {
    const cli = await transformToolsForCliMode(shop(), { serverName: 'inventory' });
    expect([cli.paths, cli.environment, Object.keys(cli.files)]).toEqual([[], {}, ['inventory', '.inventory.conf']]);
    await cli.close();
  });

  it('leaves the model one tool, whose description lists the commands', async () => {
    const { cli } = await open({ ...shop(), pay: { inputSchema: {}, needsApproval: true, execute: async () => 1 } });
    expect(Object.keys(cli.tools)).toEqual(['pay', 'inventory_help']);
    const help = cli.tools.inventory_help!;
    expect(help.description).toContain('\nsearch-items: Finds items, e.g. bolts\necho\n');
    expect(help.description).not.toContain('pay');
    expect(await help.execute({ command: 'searchItems' })).toContain('Usage: inventory search-items --query <string> [flags]');
    expect(await help.execute({ command: '' })).toContain('Commands:\n');
    expect(await failureOf(() => help.execute({ command: 'nothing' }))).toMatchObject({ code: 'UNKNOWN_TOOL' });
    await cli.close();
  });

  it('makes a name fit for a shell of whatever a server is called', async () => {
    const cli = await transformToolsForCliMode(shop(), { serverName: '@acme/My Server 2!' });
    expect(Object.keys(cli.files)[0]).toBe('acme-my-server-2');
    expect(Object.keys(cli.tools)).toEqual(['acme-my-server-2_help']);
    await cli.close();
  });

  it('frees its port and empties its store when it closes, twice at will', async () => {
    const { cli } = await open(shop(), { shrinkfit: 2000 });
    expect(await isTaken(cli.bridgeUrl)).toBe(true);
    await Promise.all([cli.close(), cli.close()]);
    expect(await isTaken(cli.bridgeUrl)).toBe(false);
  });

  it('says where it cannot write, and leaves no bridge behind', async () => {
    const failure = await failureOf(() => transformToolsForCliMode(shop(), { serverName: 'x', outputDir: '/dev/null/x' }));
    expect(failure).toMatchObject({ code: 'BRIDGE_FAILED', message: expect.stringContaining('/dev/null/x') as string });
    expect(await failureOf(() => transformToolsForCliMode(shop(), { serverName: 'x', outputDir: 5 as never }))).toMatchObject({
      code: 'INVALID_OPTION',
    });
    expect(await failureOf(() => transformToolsForCliMode(shop(), {} as never))).toMatchObject({ code: 'INVALID_OPTION' });
  });
});
