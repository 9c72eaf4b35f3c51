import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Line, folder } from './observing.ts';
import { BINARY, open, scripted, until } from './support.ts';

const PYTHON = 'python3';
const hasTerminal = process.platform !== 'win32' && spawnSync(PYTHON, ['-c', 'import pty']).status === 0;
/** Runs a command in a terminal of its own, and prints what that is sent. */
const IN_A_TERMINAL = 'import pty, sys; pty.spawn(sys.argv[1:])';

interface Row {
  tool: string;
  results: number;
  cut: number;
  before: number;
  after: number;
}

describe('what was written', () => {
  /** What a command says, and its exit code. */
  const run = (...args: string[]) =>
    new Promise<{ code: number; out: string; err: string }>((resolve) => {
      execFile(BINARY, args, { cwd: tmpdir() }, (error, out, err) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
      );
    });

  test('is followed by `trace tail`, and run through a configuration by `replay`', async () => {
    const path = join(await folder(), 'trace.ndjson');
    const config = { servers: { one: { command: scripted() } }, observability: { trace: { sink: 'file', path, payloads: true } } };
    const proxy = open(['--config', JSON.stringify(config)]);
    await proxy.initialize();
    await proxy.call(1, 'big');
    const tail = spawn(BINARY, ['trace', 'tail', path, '-n', '1']);
    onTestFinished(() => void tail.kill());
    let said = '';
    tail.stdout.on('data', (chunk: Buffer) => (said += String(chunk)));
    await until(() => said.includes('tools/call  big'));
    expect(said.split('\n')).toHaveLength(2);
    await proxy.call(2, 'text');
    await until(() => said.includes('tools/call  text'));
    proxy.child.stdin.end();
    await proxy.ended;

    const { out } = await run('trace', 'tail', path, '--no-pretty', '--no-follow', '-n', '2');
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as Line).method),
    ).toEqual(['tools/call', 'tools/call']);

    const replayed = await run('replay', path, '--json', '--config', JSON.stringify(config));
    const rows = JSON.parse(replayed.out) as Row[];
    expect(rows.map(({ tool, results, cut }) => [tool, results, cut]).sort()).toEqual([
      ['one.big', 1, 1],
      ['one.text', 1, 1],
    ]);
    for (const { before, after } of rows) expect(after).toBeLessThan(before);
    const off = await run('replay', path, '--json', '--config', JSON.stringify({ ...config, results: { mode: 'off' } }));
    for (const { before, after, cut } of JSON.parse(off.out) as Row[]) expect([after, cut]).toEqual([before, 0]);
  });

  test('and the deepest result that is written keeps it from no other', async () => {
    const path = join(await folder(), 'trace.ndjson');
    const config = JSON.stringify({
      servers: { one: { command: scripted() } },
      observability: { trace: { sink: 'file', path, payloads: true } },
    });
    const proxy = open(['--config', config]);
    await proxy.initialize();
    // As deep as a tree may be, in which the result is: in the trace it stands one level deeper.
    await proxy.call(1, 'nested', { levels: 125 });
    await proxy.call(2, 'text');
    proxy.child.stdin.end();
    await proxy.ended;
    expect(await readFile(path, 'utf8')).toContain('['.repeat(125));

    const { err, out } = await run('replay', path, '--json', '--config', config);
    expect(err).toBe('');
    expect((JSON.parse(out) as Row[]).map(({ tool, results }) => [tool, results]).sort()).toEqual([
      ['one.nested', 1],
      ['one.text', 1],
    ]);
  });

  /** A recording as it is kept, and for each tool in it how many results there are and how many are cut. */
  const recordings: [string, [string, number, number][]][] = [
    [
      'trace.ndjson',
      [
        ['github.list_issues', 2, 1],
        ['files.read_file', 1, 1],
      ],
    ],
    [
      'anthropic.json',
      [
        ['list_issues', 1, 1],
        ['search', 1, 1],
        ['read_file', 1, 0],
      ],
    ],
    [
      'openai-chat.json',
      [
        ['list_issues', 1, 1],
        ['read_file', 1, 0],
      ],
    ],
    [
      'openai-responses.ndjson',
      [
        ['list_issues', 1, 1],
        ['read_file', 1, 0],
      ],
    ],
    [
      'ai-sdk.json',
      [
        ['list_issues', 1, 1],
        ['read_file', 1, 0],
      ],
    ],
    [
      'ai-sdk-ui.json',
      [
        ['list_issues', 1, 1],
        ['read_file', 1, 0],
      ],
    ],
  ];
  const config = ['--config', JSON.stringify({ servers: { none: { command: ['none'] } }, results: { budget: { chars: 1200 } } })];

  test.each(recordings)('is replayed as %s', async (name, expected) => {
    const path = fileURLToPath(new URL(`recordings/${name}`, import.meta.url));
    const { code, out } = await run('replay', path, '--json', ...config);
    expect(code).toBe(0);
    const rows = JSON.parse(out) as Row[];
    const by = ([one]: readonly unknown[], [other]: readonly unknown[]) => String(one).localeCompare(String(other));
    const tools = rows.map(({ tool, results, cut }) => [tool.replace(/^none\./, ''), results, cut] as const);
    expect([...tools].sort(by)).toEqual([...expected].sort(by));
    for (const { before, after, cut } of rows) {
      if (cut > 0) expect(after).toBeLessThan(before);
      else expect(after).toBe(before);
    }
    // All of them are shown as well.
    const table = await run('replay', path, ...config);
    for (const [tool] of expected) expect(table.out).toMatch(new RegExp(`^(none\\.)?${tool} +\\d`, 'm'));
    expect(table.err).toBe('');
  });

  test('is the same in lines and in one value; without a result it says so', async () => {
    const path = join(await folder(), 'log.json');
    const recorded = fileURLToPath(new URL('recordings/anthropic.json', import.meta.url));
    const { messages } = JSON.parse(await readFile(recorded, 'utf8')) as { messages: object[] };
    await writeFile(path, messages.map((message) => JSON.stringify(message)).join('\n'));
    expect((await run('replay', path, ...config)).out).toBe((await run('replay', recorded, ...config)).out);
    await writeFile(path, '{"nothing": []}');
    expect(await run('replay', path)).toMatchObject({ code: 1, err: expect.stringContaining('there are no results of tools') as string });
  });

  test.skipIf(!hasTerminal)(
    `shows on a terminal how far it is${hasTerminal ? '' : ': skipped, since nothing here makes one'}`,
    async () => {
      const path = join(await folder(), 'long.json');
      const content = Array.from({ length: 800 }, (_, n) => ({ n, text: 'some words '.repeat(8) }));
      const messages = Array.from({ length: 60 }, (_, n) => ({
        role: 'tool',
        tool_call_id: `c${n}`,
        name: 'get',
        content: JSON.stringify(content),
      }));
      for (const text of [JSON.stringify({ messages }), messages.map((message) => JSON.stringify(message)).join('\n')]) {
        await writeFile(path, text);
        const shown = execFileSync(PYTHON, ['-c', IN_A_TERMINAL, BINARY, 'replay', path, ...config], { encoding: 'utf8' });
        const percents = [...shown.matchAll(/\r[█░]{30} +(\d+) %/g)].map(([, percent]) => Number(percent));
        expect(percents.length).toBeGreaterThan(20);
        expect(percents).toEqual(percents.toSorted((one, other) => one - other));
        expect(percents.at(-1)).toBe(100);
        // The bar is gone before the table comes.
        const [bar, table] = shown.split('\r\u001b[K');
        expect(bar).toMatch(/ 100 %$/);
        expect(table).toMatch(/^[^█]*get/);
        expect((await run('replay', path, ...config)).err).toBe('');
      }
    },
  );
});
