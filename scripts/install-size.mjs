// What an install of one platform takes: the addon and the command, packed as npm sends them and unpacked as they lie on the disk.
//
//   node scripts/install-size.mjs [PLATFORM]      after `make build PROFILE=release`; this machine's platform without a name
//
// Exits with 1 above the limit.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { platformName } from '../bin/platform.js';

/** In bytes, packed. */
const MOST = 12e6;

const platform = process.argv[2] ?? platformName();
const folder = fileURLToPath(new URL(`../npm/${platform}`, import.meta.url));
const packed = spawnSync('npm', ['pack', '--dry-run', '--json'], { cwd: folder, encoding: 'utf8', shell: process.platform === 'win32' });
if (packed.status !== 0) throw new Error(`npm/${platform} cannot be packed: ${packed.error?.message ?? packed.stderr}`);

const [{ size, unpackedSize, files }] = JSON.parse(packed.stdout);
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;
for (const file of files.filter((each) => each.size > 1e5)) console.log(`${file.path}  ${megabytes(file.size)}`);
console.log(`${platform}: ${megabytes(size)} packed, ${megabytes(unpackedSize)} unpacked; at most ${megabytes(MOST)} packed`);
process.exitCode = size > MOST ? 1 : 0;
