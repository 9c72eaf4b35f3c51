// Runs again on Node 22 what is made for it: the adapters (version 7 of the AI SDK asks for it). `.ci/run` puts it into target/node-22.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const node = `${root}target/node-22/node_modules/node-${process.platform}-${process.arch}/bin/node`;
if (parseInt(process.versions.node) >= 22) {
  console.log('This is Node 22 or newer: nothing to run again.');
} else if (existsSync(node)) {
  const { status } = spawnSync(node, ['node_modules/vitest/vitest.mjs', 'run', '__test__/adapters'], { cwd: root, stdio: 'inherit' });
  process.exit(status ?? 1);
} else {
  console.log('No Node 22 in target/node-22, so the adapters were tested on this one alone: see .ci/run.');
}
