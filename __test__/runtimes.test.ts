import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Programs that run TypeScript and JavaScript beside Node; `.ci/run` puts them into target/runtimes. */
const RUNTIMES = [
  { runtime: 'bun', args: ['run'] },
  { runtime: 'deno', args: ['run', '--allow-all'] },
].map((one) => ({ ...one, program: join(root, 'target/runtimes/node_modules/.bin', one.runtime) }));

/** What a host does: worker threads, strings beyond Latin-1, an abort, errors, a command that calls back. */
const PROGRAM = `
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fit, fitSync, shrinkfitTools, transformToolsForCliMode } from '${root}dist/index.js';

const { tools, close } = shrinkfitTools({ a: { execute: () => '😀 line\\n'.repeat(20_000) } }, { shrinkfit: { tokens: 300, encoding: 'o200k_base' } });
const id = /"response_id":"([^"]+)"/.exec(await tools.a.execute({}))[1];
console.log((await tools.compressor_recover_response.execute({ response_id: id })).length);
close();

const large = JSON.stringify(Array.from({ length: 50_000 }, (_, id) => ({ id, text: 'é'.repeat(10) })));
console.log(new Set((await Promise.all(Array.from({ length: 8 }, () => fit(large, { budget: 1000 })))).map(({ text }) => text)).size);

const stop = new AbortController();
const stopped = fit(large, { budget: 1000, signal: stop.signal });
stop.abort();
console.log(await stopped.catch((error) => error.name));
try { fitSync('x', { budget: -1 }); } catch (error) { console.log(error.code); }

const say = { description: 'Says it.', inputSchema: { type: 'object', properties: { what: { type: 'string' } } }, execute: ({ what }) => what };
const command = await transformToolsForCliMode({ say }, { serverName: 'inventory', outputDir: process.argv.at(-1), shrinkfit: 2000 });
console.log((await promisify(execFile)('inventory', ['say', '--what', 'hello'], { env: { ...process.env, ...command.environment } })).stdout.trim());
await command.close();
`;

for (const { runtime, program, args } of RUNTIMES) {
  const missing = !existsSync(program);
  describe.skipIf(missing)(`with ${runtime}${missing ? ` (skipped: ${program} is not there)` : ''}`, () => {
    const run = (...rest: string[]) =>
      execFileSync(program, [...args, ...rest], { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

    test('a host wraps tools, fits in parallel, aborts, and serves a command', () => {
      const folder = mkdtempSync(join(tmpdir(), 'snugfit-runtime-'));
      try {
        const file = join(folder, 'host.mjs');
        writeFileSync(file, PROGRAM);
        expect(run(file, folder).trim().split('\n')).toEqual(['160000', '1', 'AbortError', 'INVALID_OPTION', 'hello']);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });

    test('the command starts', () => {
      expect(run('bin/snugfit.js', '--version')).toMatch(/^snugfit \d/);
    });
  });
}
