// Writes THIRD-PARTY-LICENSES: what the addon and the command have inside that others wrote, and under which terms. It ships with every package
// that has a binary or a vocabulary.
//
//   node scripts/licenses.mjs [--check]
//
// With --check nothing is written; it fails when the file lags behind Cargo.lock. deny.toml says which licences there may be at all.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const file = join(root, 'THIRD-PARTY-LICENSES');

/** Where a crate leaves the choice, the first of these that it offers. */
const PREFERRED = ['Apache-2.0', 'MIT', 'ISC', 'BSD-3-Clause', 'BSL-1.0', 'Unicode-3.0', 'Zlib'];
/** Files that hold terms, but for those of a licence that is in our own LICENSE or was not chosen. */
const TERMS = /^(licen[cs]e|copying|notice)/i;
const NOT_CHOSEN = /apache|_a2|cc0|unlicense/i;

const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the
"Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish,
distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to
the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY
CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE
SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

const crates = shippedCrates();
const apache = names(crates.filter((crate) => choice(crate).join() === 'Apache-2.0'));
const texts = new Map([[readFileSync(join(root, 'crates/vocabulary/data/LICENSE'), 'utf8').trim(), ['the vocabularies of token budgets']]]);
for (const crate of crates) {
  for (const text of ownTerms(crate)) texts.set(text, [...(texts.get(text) ?? []), `${crate.name} (${choice(crate).join(', ')})`]);
}
const sections = [...texts].map(([text, owners]) => `${'-'.repeat(80)}\n${fill([...new Set(owners)])}\n\n${text}\n`);
const written = `What the addon and the command of snugfit have inside that others wrote. Made by scripts/licenses.mjs; do not edit.

Under the Apache License 2.0, whose text is in LICENSE (most of them offer it as one of several):

${fill(['the Rust standard library', ...apache])}

Under other terms:

${sections.join('\n')}`;

if (!process.argv.includes('--check')) writeFileSync(file, written);
else if (readFileSync(file, 'utf8') !== written) {
  console.error('THIRD-PARTY-LICENSES lags behind Cargo.lock: run `node scripts/licenses.mjs`, and look at what has changed.');
  process.exit(1);
}

/** The crates from elsewhere that are linked into what ships, on any of its platforms; npm packages have no place in it. */
function shippedCrates() {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  if (dependencies) throw new Error('package.json has dependencies, whose licences scripts/licenses.mjs does not list yet');
  const triples = [...readFileSync(join(root, 'deny.toml'), 'utf8').matchAll(/^ {2}"(\w+-[\w-]+)",$/gm)].map(([, triple]) => triple);
  const platforms = triples.flatMap((triple) => ['--filter-platform', triple]);
  const { packages, resolve } = JSON.parse(
    execFileSync('cargo', ['metadata', '--format-version', '1', '--locked', ...platforms], { cwd: root, maxBuffer: 1 << 28 }),
  );
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]));
  const reached = new Set(packages.filter(({ name }) => ['snugfit-node', 'snugfit-cli'].includes(name)).map(({ id }) => id));
  for (const id of reached) {
    const linked = nodes.get(id).deps.filter(({ dep_kinds: kinds }) => kinds.some(({ kind }) => kind === null));
    linked.forEach(({ pkg }) => reached.add(pkg));
  }
  return packages.filter(({ id, source }) => source !== null && reached.has(id)).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The licences that we take a crate under: one of each group that its expression offers. */
function choice({ name, license }) {
  const groups = license.replaceAll('/', ' OR ').split(' AND ');
  if (groups.length > 1 && groups.some((group) => group.includes(' OR ') && !group.startsWith('('))) {
    throw new Error(`${name}: ${license} is read by nobody without brackets`);
  }
  return groups.map((group) => {
    const offered = group.replace(/^\(|\)$/g, '').split(/\s+OR\s+/);
    const chosen = PREFERRED.find((licence) => offered.includes(licence));
    if (!chosen) throw new Error(`${name} is under ${license}: none of ${PREFERRED.join(', ')}`);
    return chosen;
  });
}

/** The texts that have to go along with a crate. */
function ownTerms(crate) {
  const folder = dirname(crate.manifest_path);
  const chosen = choice(crate);
  const found = readdirSync(folder).filter((name) => TERMS.test(name) && !NOT_CHOSEN.test(name));
  if (chosen.join() === 'Apache-2.0') return found.filter((name) => /^notice/i.test(name)).map((name) => read(folder, name));
  if (found.length > 0) return found.sort().map((name) => read(folder, name));
  if (chosen.join() !== 'MIT') throw new Error(`${crate.name} comes without the text of ${crate.license}`);
  return [`Copyright (c) ${crate.authors.join(', ') || `the authors of ${crate.name}`}\n\n${MIT}`];
}

function read(folder, name) {
  return readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n').trim();
}

function names(list) {
  return [...new Set(list.map(({ name }) => name))];
}

/** A list in lines of at most 120 characters. */
function fill(words) {
  const lines = [''];
  for (const word of words.map((word, n) => (n < words.length - 1 ? `${word},` : word))) {
    const line = lines.at(-1);
    if (line !== '' && line.length + 1 + word.length > 120) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join('\n');
}
