import { execFile } from 'node:child_process';
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
    execFile(process.execPath, [launcher, ...args], { cwd }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, said: stdout + stderr }),
    );
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
    expect(found).toEqual({ code: 0, said: `${join(path, file)} (evaluated): no mistakes, 1 server\n  files  stdio  run\n` });
    for (const args of [
      ['validate-config', '--config', file],
      ['validate-config', `-c${file}`],
      ['validate-file', file],
    ])
      expect(await snugfit(path, ...args)).toEqual(found);
  });

  test('gives way to a file of data in the same directory, and to one that is named', async () => {
    const path = await directory('data', { 'snugfit.config.mjs': 'throw new Error("never run")', 'snugfit.config.yaml': 'servers:' });
    expect((await snugfit(path, 'validate-config')).said).toContain('snugfit.config.yaml: no mistakes');
    expect((await snugfit(path, 'validate-config', '-c', '{"servers":{}}')).said).toContain('--config: no mistakes');
  });

  test.each([
    ['throws', 'throw new Error("out of order")', /snugfit: .+\.mjs: out of order\n/],
    ['exports nothing of use', 'export default () => undefined', /snugfit: .+\.mjs: exports no configuration: expected an object/],
    [
      'has a mistake',
      'export default { stroe: {} }',
      /error: .+\.mjs \(evaluated\):2:3: stroe: unknown key `stroe`; did you mean `store`\?/,
    ],
    ['is too large', 'export default { $schema: "x".repeat(130_000) }', /gives more than 128 kB/],
  ])('that %s ends with exit code 2', async (name, code, expected) => {
    const path = await directory(name, { 'snugfit.config.mjs': code });
    const { code: exit, said } = await snugfit(path, 'validate-config');
    expect(said).toMatch(expected);
    expect(exit).toBe(2);
  });

  test('is not run by what reads no configuration', async () => {
    const path = await directory('unread', { 'snugfit.config.mjs': 'throw new Error("run")' });
    expect((await snugfit(path, 'page', '--help')).code).toBe(0);
    expect((await snugfit(path, 'init', 'new.yaml')).code).toBe(0);
  });
});
