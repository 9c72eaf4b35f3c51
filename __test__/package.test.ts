import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = json('package.json');

function json(path: string): Record<string, unknown> {
  return JSON.parse(readFileSync(`${root}${path}`, 'utf8')) as Record<string, unknown>;
}

/** What a script prints that runs in the package's own folder, where `snugfit` names the built package. */
function run(type: 'module' | 'commonjs', script: string): string {
  return execFileSync(process.execPath, [`--input-type=${type}`, '-e', script], { cwd: root, encoding: 'utf8' });
}

const EXPORTS = [
  'RECOVERY_TOOL',
  'SnugfitError',
  'bodyText',
  'compressTools',
  'createExecutableToolBridge',
  'createTurnBudget',
  'descriptionKey',
  'fit',
  'fitBody',
  'fitSync',
  'itemsSize',
  'needsCut',
  'page',
  'paginate',
  'paginateTool',
  'planToolsForJustBash',
  'render',
  'renderWithin',
  'reserve',
  'resolveSchemas',
  'shrinkDefinitions',
  'shrinkfitTools',
  'transformToolsForCliMode',
  'transformToolsForCodeMode',
  'transformToolsForJustBash',
  'trim',
];
const USE = `
  const { tools } = snugfit.shrinkfitTools({ probe: { execute: async () => 'x'.repeat(9000) } }, { shrinkfit: 1000 });
  tools.probe.execute().then((text) => console.log(JSON.stringify({ names: Object.keys(snugfit).sort(), length: text.length <= 1000 })));`;

describe('the built package', () => {
  it('works as an ES module', () => {
    expect(JSON.parse(run('module', `import * as snugfit from 'snugfit';${USE}`))).toEqual({ names: EXPORTS, length: true });
  });

  it('works by require', () => {
    expect(JSON.parse(run('commonjs', `const snugfit = require('snugfit');${USE}`))).toEqual({ names: EXPORTS, length: true });
  });

  it('knows maps that its other module format has wrapped', () => {
    const script = `
      import { shrinkfitTools } from 'snugfit';
      import { createRequire } from 'node:module';
      const { shrinkfitTools: other } = createRequire(process.cwd() + '/')('snugfit');
      const { tools } = shrinkfitTools({ probe: { execute: () => 1 } }, { shrinkfit: 1000 });
      try { other(tools, { shrinkfit: 1000 }); } catch (error) { console.log(error.code); }`;
    expect(run('module', script)).toBe('ALREADY_WRAPPED\n');
  });
});

describe('the platform packages', () => {
  it.each(readdirSync(`${root}npm`))('%s has the version and the licence of the package', (platform) => {
    expect(json(`npm/${platform}/package.json`)).toMatchObject({
      name: `@snugfit/${platform}`,
      version: manifest.version,
      license: 'Apache-2.0',
      main: 'snugfit.node',
    });
  });
});
