import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const pages = [
  ...readdirSync(root, { encoding: 'utf8' }),
  ...readdirSync(join(root, 'docs'), { encoding: 'utf8', recursive: true }).map((name) => join('docs', name)),
];

describe('the documents', () => {
  test('README.md shows examples/quickstart.mjs as it is', () => {
    const shown = /<!-- examples\/quickstart\.mjs -->\n+```js\n(.*?)```/s.exec(read('README.md'))?.[1];
    expect(shown).toBe(read('examples/quickstart.mjs'));
  });

  test('README.md configures clients as their guide does, which runs in proxy-clients.test.ts', () => {
    const blocks = (page: string) => [...read(page).matchAll(/```(?:sh|json|toml)\n(.*?)```/gs)].map(([, code = '']) => code);
    const shown = blocks('README.md').filter((code) => code.includes('server-filesystem') && code.includes('snugfit'));
    expect(shown).toHaveLength(4);
    expect(blocks('docs/proxy-clients.md')).toEqual(expect.arrayContaining(shown));
  });

  test('examples/quickstart.mjs runs', () => {
    expect(execFileSync(process.execPath, ['examples/quickstart.mjs'], { cwd: root, encoding: 'utf8' })).not.toBe('');
  });

  test('docs/security.md names tests that are there', () => {
    const under = (folder: string) =>
      readdirSync(join(root, folder), { encoding: 'utf8', recursive: true }).map((name) => join(folder, name));
    const files = [...under('__test__'), ...under('crates'), ...under('soak')];
    const rust = files
      .filter((file) => file.endsWith('.rs'))
      .map(read)
      .join('\n');
    const named = [...read('docs/security.md').matchAll(/`([\w/-]+\.(?:test\.ts|rs|mjs)|[a-z]+(?:_[a-z0-9]+){3,})`/g)].map(
      ([, name = '']) => name,
    );
    expect(named.length).toBeGreaterThan(40);
    const isThere = (name: string) =>
      name.includes('.') ? files.some((file) => `/${file}`.endsWith(`/${name}`)) : rust.includes(`fn ${name}(`);
    expect(named.filter((name) => !isThere(name))).toEqual([]);
  });

  test.each(pages.filter((page) => page.endsWith('.md')))('%s links to files that are there', (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link = '']) => link);
    expect(links.filter((link) => !existsSync(join(root, dirname(page), link)))).toEqual([]);
  });
});

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
