import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'snugfit-'));
const tsc = join(root, 'node_modules/typescript/bin/tsc');
let tarball: string;

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

beforeAll(() => {
  writeFileSync(join(folder, 'package.json'), '{"name":"empty","version":"1.0.0","type":"module"}');
  const quiet = { cwd: root, stdio: 'pipe' } as const;
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], quiet);
  tarball = join(
    folder,
    readdirSync(folder).find((name) => name.endsWith('.tgz'))!,
  );
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--offline', tarball], { ...quiet, cwd: folder });
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

describe('the packed tarball, installed in an empty project', () => {
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
