import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

interface Crate {
  name: string;
  version: string;
  publish: string[] | null;
  description: string | null;
  license: string | null;
  repository: string | null;
  readme: string | null;
  keywords: string[];
  categories: string[];
}

const root = fileURLToPath(new URL('..', import.meta.url));
const { packages, target_directory: target } = JSON.parse(cargo('metadata', '--no-deps', '--format-version', '1')) as {
  packages: Crate[];
  target_directory: string;
};
const published = packages.filter((crate) => crate.publish === null);

function cargo(...args: string[]): string {
  return execFileSync('cargo', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** What is in the package of a crate: the files' names, or the text of one. */
function packed({ name, version }: Crate, file?: string): string {
  const args = file === undefined ? ['-tzf'] : ['-xzOf'];
  const tarball = join(target, 'package', `${name}-${version}.crate`);
  return execFileSync('tar', [...args, tarball, ...(file === undefined ? [] : [`${name}-${version}/${file}`])], { encoding: 'utf8' });
}

describe('the crates that are published', () => {
  it('are packed with their licence and their README', () => {
    cargo('package', '--workspace', '--no-verify', '--allow-dirty', '--locked', '--offline');
    const terms = readFileSync(join(root, 'LICENSE'), 'utf8');
    for (const crate of published) {
      expect(packed(crate, 'LICENSE')).toBe(terms);
      expect(packed(crate, 'README.md')).toMatch(new RegExp(`^# ${crate.name}\n`));
      expect(packed(crate)).not.toMatch(/\/(tests|fixtures|proptest-regressions)\//);
    }
  }, 120_000);

  it.each(published)('$name says what it is, where it comes from and under which terms', (crate) => {
    expect(crate).toMatchObject({
      version: (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version,
      license: expect.stringMatching(/^Apache-2\.0( AND MIT)?$/) as string,
      repository: 'https://github.com/snugfit/snugfit',
      readme: 'README.md',
    });
    expect(crate.description).toMatch(/^\S.{20,200}\.$/);
    // A registry takes five keywords at most, each of 20 characters at most.
    expect(crate.keywords.filter((word) => /^[a-z][a-z-]{1,19}$/.test(word))).toHaveLength(5);
    expect(crate.categories.length).toBeGreaterThan(0);
  });
});
