import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { platformName } from '../bin/platform.js';
import { openCode } from './support/code.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const command = join(root, 'npm', platformName(), 'bin/snugfit');
const folder = mkdtempSync(join(tmpdir(), 'snugfit-blocks-'));
afterAll(() => rmSync(folder, { recursive: true }));

const pages = ['README.md', ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((page) => join('docs', page))]
  .filter((page) => page.endsWith('.md'))
  .sort();
/** Every block of every page, by its language; what has none shows output, or shell commands. */
const all = pages.flatMap((page) =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = '', code = ''], at) => ({
    page,
    at,
    language,
    code,
  })),
);
const blocks = (language: string) => all.filter((block) => block.language === language);

/** What a page takes for granted in its examples, and what stands for the parts that it leaves out. */
const BEFORE: Record<string, string> = {
  'README.md': `import { compressTools, shrinkDefinitions, transformToolsForCliMode, transformToolsForCodeMode, transformToolsForJustBash } from 'snugfit';
    import { Bash } from 'just-bash';
    const [map, bash, outputDir] = [{ a: { description: 'A.', execute: () => 'a' } }, new Bash(), process.env.FOLDER];`,
  'docs/tool-surfaces.md': `import { compressTools, shrinkDefinitions, transformToolsForCliMode, transformToolsForCodeMode } from 'snugfit';
    const [map, outputDir] = [{ a: { description: 'A.', execute: () => 'a' } }, process.env.FOLDER];`,
  'docs/pages.md': `const server = { registerTool: (name, config, handler) => console.log(name, config.inputSchema !== undefined, typeof handler) };
    const api = { runs: () => [] };`,
};

/** What programs print that show what the page says, by page and block. */
const PRINTS: Record<string, string> = {
  'docs/tuning.md 1': "[ 'rows' ] true true\n",
  'docs/tuning.md 3': 'true false\n',
};

// Those of docs/hosts run in guides.test.ts, each with what it prints.
describe('programs in the documents', () => {
  test.each(blocks('js').filter(({ page }) => !page.startsWith('docs/hosts/')))('$page, block $at, runs', ({ page, at, code }) => {
    const program = code.startsWith('import') && page === 'README.md' ? code : `${BEFORE[page] ?? ''}\n${code}`;
    // The bridges that an example opens end with it.
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', `${program}\nprocess.exit(0);`], {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, FOLDER: folder },
    });
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toBe(PRINTS[`${page} ${at}`] ?? stdout);
  });

  test('whose output is known are there', () => {
    expect(blocks('js').map(({ page, at }) => `${page} ${at}`)).toEqual(expect.arrayContaining(Object.keys(PRINTS)));
  });
});

/** What the programs in the page on generated modules call. */
const search_issues = {
  description: 'Searches issues.',
  inputSchema: { type: 'object', properties: { query: { type: 'string' }, state: { type: 'string' } }, required: ['query'] },
  outputSchema: {
    type: 'object',
    properties: { issues: { type: 'array', items: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] } } },
    required: ['issues'],
  },
  execute: () => ({ issues: Array.from({ length: 500 }, (_, id) => ({ id, title: `Issue ${id} with a title of some length` })) }),
};

describe('generated modules in the documents', () => {
  test.each([...blocks('ts'), ...blocks('python')])('$page, block $at, runs beside its module', async ({ language, code }) => {
    const module = await openCode({ search_issues }, language === 'ts' ? 'typescript' : 'python', {
      serverName: 'inventory',
      shrinkfit: 3000,
    });
    const { exitCode, stderr } = await module.exec(code.replace("'./inventory.ts'", '"./inventory.ts"'));
    await module.code.close();
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  });
});

describe('data in the documents', () => {
  test.each(blocks('json'))('$page, block $at, is JSON', ({ code }) => {
    // What is left out is written as an ellipsis.
    const text = code.replaceAll('[…]', '[]').replaceAll('{…}', '{}').trim();
    // A log has a document on each line.
    const documents = /^\{.*\}$/.test(text.split('\n', 1)[0]!) ? text.split('\n') : [text];
    for (const document of documents) expect(() => JSON.parse(document) as unknown).not.toThrow();
  });

  test.each(blocks('yaml'))('$page, block $at, is a configuration without mistakes', ({ code }) => {
    const file = join(folder, 'snugfit.config.yaml');
    // A part of a configuration stands for one that has servers as well.
    writeFileSync(file, /^servers:/m.test(code) ? code : `servers: { a: { command: node } }\n${code}`);
    const env = {
      ...process.env,
      ...Object.fromEntries([...code.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => [name, 'https://example.com'])),
    };
    const { status, stderr } = spawnSync(command, ['validate-file', file], { encoding: 'utf8', env });
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
  });
});

/** The commands of ours in a block, without what stands around them. */
function calls(code: string): string[] {
  const lines = code.replaceAll('\\\n', ' ').split('\n');
  return lines.flatMap((line) => /(?:^|\| |npx -y )(snugfit .*)$/.exec(line)?.[1] ?? []);
}

describe('commands in the documents', () => {
  const lines = [...blocks('sh'), ...blocks('')].flatMap(({ page, code }) => calls(code).map((call) => ({ page, call })));

  test('are there', () => expect(lines.length).toBeGreaterThan(10));

  test.each(lines)('$page: $call', ({ call }) => {
    const [, first = '', ...rest] = call.split(' -- ')[0]!.split(/\s+/);
    const [name, nested] = [first.startsWith('-') ? [] : [first], rest[0] === 'tail' ? ['tail'] : []];
    const help = execFileSync(command, [...name, ...nested, '--help'], { encoding: 'utf8' });
    const flags = [...call.split(' -- ')[0]!.matchAll(/(?<=\s)--?[a-z][a-z-]*/g)].map(([flag]) => flag);
    expect(flags.filter((flag) => !new RegExp(`${flag}\\b`).test(help))).toEqual([]);
  });
});

describe('every block', () => {
  test('is of a language that is checked here, or shown as text', () => {
    const known = ['', 'text', 'js', 'json', 'yaml', 'sh', 'toml', 'ts', 'python'];
    expect(all.filter(({ language }) => !known.includes(language))).toEqual([]);
    // TOML is that of Codex, which proxy-clients.test.ts reads.
    expect(new Set(blocks('toml').map(({ page }) => page))).toEqual(new Set(['README.md', 'docs/proxy-clients.md']));
  });
});
