import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { platformName } from '../bin/platform.js';
import { type Published, registry } from './support/registry.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const work = mkdtempSync(join(tmpdir(), 'snugfit-'));
const folder = join(work, 'project');
const tsc = join(root, 'node_modules/typescript/bin/tsc');
let tarball: string;
let server: Server;

const USE = `
const { tools, close } = shrinkfitTools({ probe: { execute: async (input: { n: number }) => 'x'.repeat(input.n) } }, { shrinkfit: 1000 });
const run = async (): Promise<void> => {
  const preview: string = await tools.probe.execute({ n: 9000 });
  const id = /"response_id":"([^"]+)"/.exec(preview)?.[1] ?? '';
  const original: string = await tools.compressor_recover_response.execute({ response_id: id });
  console.log(preview.length <= 1000 && original.length === 9000);
  close();
};
void run();
`;

/** Runs a program in the empty project. */
function run(...args: string[]): string {
  return execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
}

/** Packs what a release would publish from a folder. */
function pack(from: string): Published & { tarball: string } {
  const [{ filename }] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', work], { cwd: from, encoding: 'utf8', stdio: 'pipe' }),
  ) as [{ filename: string }];
  return { manifest: manifest(from), tarball: join(work, filename) };
}

function manifest(of: string): Published['manifest'] {
  return JSON.parse(readFileSync(join(of, 'package.json'), 'utf8')) as Published['manifest'];
}

beforeAll(async () => {
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"name":"empty","version":"1.0.0","type":"module"}');
  const staged = join(work, 'staged');
  execFileSync(process.execPath, [join(root, 'scripts/stage-release.mjs'), staged, platformName()], { stdio: 'pipe' });
  const main = pack(join(staged, 'snugfit'));
  tarball = main.tarball;
  const others = readdirSync(join(root, 'npm')).filter((platform) => platform !== platformName());
  const foreign = others.map((platform) => ({ manifest: manifest(join(root, 'npm', platform)) }));
  const local = await registry([main, pack(join(staged, platformName())), ...foreign]);
  server = local.server;
  const options = ['--no-audit', '--no-fund', '--registry', local.url, '--cache', join(work, 'cache')];
  await promisify(execFile)('npm', ['install', ...options, 'snugfit'], { cwd: folder });
}, 240_000);
afterAll(() => {
  server.close();
  rmSync(work, { recursive: true });
});

describe('the packages of a release, installed from a registry in an empty project', () => {
  it('are the main one and the one of this platform, each with the terms of what is inside', () => {
    expect(readdirSync(join(folder, 'node_modules'))).toEqual(expect.arrayContaining(['snugfit']));
    expect(readdirSync(join(folder, 'node_modules/@snugfit'))).toEqual([platformName()]);
    for (const name of ['snugfit', `@snugfit/${platformName()}`]) {
      expect(readdirSync(join(folder, 'node_modules', name))).toEqual(
        expect.arrayContaining(['LICENSE', 'README.md', 'THIRD-PARTY-LICENSES']),
      );
    }
    expect(readdirSync(join(folder, 'node_modules/snugfit'))).not.toContain('npm');
  });

  it('have the command', () => {
    const fitted = execFileSync('npx', ['--no-install', 'snugfit', 'fit', '--max-chars', '1000'], {
      cwd: folder,
      encoding: 'utf8',
      input: 'one of many lines\n'.repeat(1000),
    });
    expect(fitted.length).toBeLessThanOrEqual(1000);
    expect(fitted).toMatch(/^one of many lines\n/);
  });

  it('bundle nothing of node_modules', () => {
    const built = readdirSync(join(folder, 'node_modules/snugfit/dist')).filter((file) => /\.c?js$/.test(file));
    const bundled = built.filter((file) =>
      readFileSync(join(folder, 'node_modules/snugfit/dist', file), 'utf8').includes('#region node_modules'),
    );
    expect(built.length).toBeGreaterThan(0);
    expect(bundled).toEqual([]);
  });

  it.each([
    ['ES modules', 'use.mts', "import { shrinkfitTools } from 'snugfit';"],
    ['CommonJS', 'use.cts', "import snugfit = require('snugfit');\nconst { shrinkfitTools } = snugfit;"],
  ])('compiles as strict TypeScript and runs as %s', (_, file, header) => {
    writeFileSync(join(folder, file), header + USE);
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          ...{ strict: true, exactOptionalPropertyTypes: true, module: 'nodenext', target: 'es2022', lib: ['es2023'], types: ['node'] },
          typeRoots: [join(root, 'node_modules/@types')],
        },
        files: [file],
      }),
    );
    run(tsc, '-p', '.');
    expect(run(join(folder, file.replace('ts', 'js')))).toBe('true\n');
  });

  it.each(['ai', 'client', 'langchain', 'mastra', 'mcp', 'openai-agents', 'redis'])(
    'snugfit/%s loads in both module systems without its peer',
    (name) => {
      const print = 'console.log(Object.keys(m).length > 0)';
      expect(run('--input-type=module', '-e', `import * as m from 'snugfit/${name}'; ${print}`)).toBe('true\n');
      expect(run('--input-type=commonjs', '-e', `const m = require('snugfit/${name}'); ${print}`)).toBe('true\n');
    },
  );

  it.each([
    ['langchain', 'm.toLangChainTools({ a: { execute: () => 1 } })', '@langchain/core'],
    ['mastra', 'm.toMastraTools({})', '@mastra/core'],
    ['client', "await new m.CompressorClient({ servers: 'http://localhost:1' }).connect()", '@modelcontextprotocol/client'],
    ['redis', "await m.redisStore({ secret: 'x' })", 'redis'],
  ])('snugfit/%s says what to install where its peer is missing', (name, call, peer) => {
    const script = `import * as m from 'snugfit/${name}'; try { ${call} } catch (error) { console.log(error.code, error.message) }`;
    expect(run('--input-type=module', '-e', script)).toMatch(
      new RegExp(`^PEER_MISSING snugfit/${name} needs the package ${peer}, .*: npm install ${peer}\n$`),
    );
  });
});

describe('the package', () => {
  it('has types that every kind of module resolution finds (arethetypeswrong)', async () => {
    const analysis = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
    expect(analysis).toMatchObject({ types: { kind: 'included' }, problems: [] });
  });

  it('is clean by publint', async () => {
    const bytes = Uint8Array.from(readFileSync(tarball)).buffer;
    const { messages, pkg } = await publint({ pack: { tarball: bytes }, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg as never))).toEqual([]);
  });
});
