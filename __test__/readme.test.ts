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

  test.each(pages.filter((page) => page.endsWith('.md')))('%s links to files that are there', (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link = '']) => link);
    expect(links.filter((link) => !existsSync(join(root, dirname(page), link)))).toEqual([]);
  });
});

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
