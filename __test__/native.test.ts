import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { platformName } from '../bin/platform.js';
import { failureOf } from './support/errors.ts';

async function fresh() {
  vi.resetModules();
  return import('../host/index.ts');
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('the addon', () => {
  it('is not loaded before it is needed', async () => {
    vi.stubEnv('SNUGFIT_NATIVE', '/nowhere/snugfit.node');
    const { shrinkfitTools } = await fresh();
    expect(shrinkfitTools({}, {}).tools).toEqual({});
  });

  it('that is missing is told with the platform, what was looked for and how to build it', async () => {
    vi.stubEnv('SNUGFIT_NATIVE', '/nowhere/snugfit.node');
    const { fit, shrinkfitTools } = await fresh();
    const failure = await failureOf(() => shrinkfitTools({}, { shrinkfit: 1000 }));
    expect(failure).toMatchObject({ code: 'NATIVE_MISSING' });
    for (const part of [platformName(), '/nowhere/snugfit.node: not there', 'npm run build:native'])
      expect(failure.message).toContain(part);
    expect(await failureOf(() => fit('text', { budget: 9 }))).toMatchObject({ code: 'NATIVE_MISSING' });
  });

  it('that cannot be loaded is told with the reason', async () => {
    vi.stubEnv('SNUGFIT_NATIVE', new URL('../package.json', import.meta.url).pathname.replace('package.json', 'README.md'));
    const { fit } = await fresh();
    expect((await failureOf(() => fit('text', { budget: 9 }))).message).toMatch(/README\.md: \S/);
  });

  it('of another version is told', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'snugfit-'));
    const addon = join(folder, 'addon.cjs');
    await writeFile(addon, "exports.version = () => '0.0.1';");
    vi.stubEnv('SNUGFIT_NATIVE', addon);
    const { fit } = await fresh();
    expect((await failureOf(() => fit('text', { budget: 9 }))).message).toMatch(/is version 0\.0\.1, but this is snugfit \d/);
    await rm(folder, { recursive: true });
  });

  it('is looked for in the platform’s package first, then in the folder of the build', async () => {
    vi.stubEnv('SNUGFIT_NATIVE', '');
    vi.doMock('../bin/platform.js', () => ({ platformName: () => 'plan9-mips' }));
    const { fit } = await fresh();
    const { message } = await failureOf(() => fit('text', { budget: 9 }));
    expect(message).toMatch(/@snugfit\/plan9-mips: not there\n.*npm.plan9-mips.snugfit\.node: not there/);
    vi.doUnmock('../bin/platform.js');
  });
});

describe('a process', () => {
  it('is not kept alive by an open toolset', () => {
    const script = `
      import { shrinkfitTools } from ${JSON.stringify(new URL('../dist/index.js', import.meta.url).href)};
      const { tools } = shrinkfitTools({ probe: { execute: async () => 'x'.repeat(9000) } }, { shrinkfit: 1000 });
      await tools.probe.execute();
      console.log('done');`;
    const out = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8', timeout: 10_000 });
    expect(out).toBe('done\n');
  });
});
