import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const launcher = fileURLToPath(new URL('../bin/snugfit.js', import.meta.url));
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'snugfit-script-config-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Exit code and what was said of a call in a directory. */
function snugfit(cwd: string, ...args: string[]): Promise<{ code: number; said: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [launcher, ...args], { cwd }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, said: stdout + stderr }),
    );
    // A proxy ends with its client.
    child.stdin?.end();
  });
}

/** A directory with these files. */
async function directory(name: string, files: Record<string, string>): Promise<string> {
  const path = join(folder, name);
  await mkdir(join(path, 'below'), { recursive: true });
  for (const [file, content] of Object.entries(files)) await writeFile(join(path, file), content);
  return path;
}

describe('a configuration in JavaScript', () => {
  const object = '{ servers: { files: { command: ["run", "${UNSET:-x}"] } } }';

  test.each([
    ['an object', 'snugfit.config.mjs', `export default ${object}`],
    ['a function', 'snugfit.config.mjs', `export default () => (${object})`],
    ['an async function', 'snugfit.config.js', `export default async () => (${object})`],
    ['CommonJS', 'snugfit.config.js', `module.exports = ${object}`],
  ])('may be %s', async (kind, file, code) => {
    const type = kind === 'CommonJS' ? 'commonjs' : 'module';
    const path = await directory(kind, { [file]: code, 'package.json': JSON.stringify({ type }) });
    const found = await snugfit(join(path, 'below'), 'validate-config');
    expect(found.code).toBe(0);
    expect(found.said).toContain(`${join(path, file)} (evaluated): no mistakes, 1 server\n  files  stdio  run\n`);
    for (const args of [
      ['validate-config', '--config', file],
      ['validate-config', `-c${file}`],
      ['validate-file', file],
    ])
      expect(await snugfit(path, ...args)).toEqual({ code: 0, said: found.said.replace(join(path, file), file) });
  });

  test('gives way to a file of data in the same directory, and to one that is named', async () => {
    const path = await directory('data', {
      'snugfit.config.mjs': 'throw new Error("never run")',
      'snugfit.config.yaml': 'servers: { a: { command: run } }',
    });
    expect((await snugfit(path, 'validate-config')).said).toContain('snugfit.config.yaml: no mistakes');
    expect((await snugfit(path, 'validate-config', '-c', '{"servers":{"a":{"command":"run"}}}')).said).toContain('--config: no mistakes');
  });

  test.each([
    ['throws', 'throw new Error("out of order")', /error: .+\.mjs: out of order\n/],
    ['exports nothing of use', 'export default () => undefined', /error: .+\.mjs: exports no configuration: expected an object/],
    ['ends the process', 'process.exit(3)', /error: .+\.mjs: the script ended early: exit status: 3/],
    [
      'has a mistake',
      'export default { stroe: {} }',
      /error: .+\.mjs \(evaluated\):2:3: stroe: unknown key `stroe`; did you mean `store`\?/,
    ],
    ['is too large', 'export default { $schema: "x".repeat(5_000_000) }', /gives more than 4 MiB/],
  ])('that %s ends with exit code 2', async (name, code, expected) => {
    const path = await directory(name, { 'snugfit.config.mjs': code });
    const { code: exit, said } = await snugfit(path, 'validate-config');
    expect(said).toMatch(expected);
    expect(exit).toBe(2);
  });

  test('may print, which is no part of it', async () => {
    const path = await directory('prints', { 'snugfit.config.mjs': `console.log('{');\nexport default ${object}` });
    const { code, said } = await snugfit(path, 'validate-config');
    expect(said).toContain('no mistakes, 1 server');
    expect(code).toBe(0);
  });

  test.each([
    ['page', '--help'],
    ['init', 'new.yaml'],
    ...['proxy', 'start', 'measure', 'validate-config'].flatMap((command) =>
      ['--help', '-h', '--version', '-V'].map((flag) => [command, flag]),
    ),
    ['validate-file', '-h', 'snugfit.config.mjs'],
    ['proxy', '-c', 'snugfit.config.mjs', '--help'],
    ['proxy', '-qh', '-csnugfit.config.mjs'],
    ['help', 'proxy'],
    ['--help'],
    ['--version'],
    ['-c', 'snugfit.config.mjs', '-V'],
    // A server that is named needs no configuration, with the dashes or without.
    ['proxy', '--', 'no-such-program'],
    ['proxy', '--server-name', 'x', 'no-such-program', 'snugfit.config.mjs'],
  ])('is not run by %s %s', async (...args) => {
    const path = await directory(`unread-${args.join('')}`.replaceAll(/[^\w-]/g, ''), {
      'snugfit.config.mjs': 'import { writeFileSync } from "node:fs"; writeFileSync("run", "");',
    });
    await snugfit(path, ...args);
    expect(existsSync(join(path, 'run'))).toBe(false);
  });
});
