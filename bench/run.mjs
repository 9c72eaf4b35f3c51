// The benches of the JavaScript side, one after the other: `npm run bench`. What they print is judged beside the baselines that they
// print, never as absolute times.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

for (const name of ['load', 'blocking', 'launcher']) {
  console.log(`== ${name}`);
  const { status } = spawnSync(process.execPath, [fileURLToPath(new URL(`${name}.mjs`, import.meta.url))], { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
