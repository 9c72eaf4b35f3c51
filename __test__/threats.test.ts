import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** All files below some folders of the repository with their texts. */
const files = ['__test__', 'crates', 'soak']
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(root, folder, file)))
  .filter((file) => /\.(ts|rs|mjs)$/.test(file))
  .map((file) => ({ file, text: readFileSync(file, 'utf8') }));

/** What the last column of the tables of docs/security.md names: a test of Rust, or a file and maybe words of a title in it. */
const named = readFileSync(join(root, 'docs/security.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| (?!---|attack|where)/.test(line))
  .flatMap((line) => {
    const tests = [...line.slice(line.lastIndexOf(' | ', line.length - 3)).matchAll(/`([^`]+)`(?:, ([^`;|(]+))?/g)];
    return tests.map(([, name, words]) => ({ threat: line.slice(2, 60), name: name!, words: words?.trim() ?? '' }));
  });

test('each threat has a test', () => {
  expect(named.length).toBeGreaterThan(30);
  expect(new Set(named.map(({ threat }) => threat)).size).toBe(
    readFileSync(join(root, 'docs/security.md'), 'utf8').match(/^\| (?!---|attack|where)/gm)!.length,
  );
});

test.each(named)('$name $words is there, and holds off: $threat', ({ name, words }) => {
  const holds = name.includes('.')
    ? files.some(({ file, text }) => basename(file) === basename(name) && text.includes(words))
    : files.some(({ text }) => text.includes(`fn ${name}(`));
  expect(holds).toBe(true);
});
