// A folder for the demo: the same on every machine and run. A monorepo of some thousand files, and the log of a gateway in which
// little goes wrong, and then something does.
import { mkdir, mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const AREAS = [
  'accounts',
  'billing',
  'catalog',
  'checkout',
  'delivery',
  'gateway',
  'identity',
  'inventory',
  'mail',
  'pricing',
  'search',
  'support',
];
const LAYERS = ['api', 'domain', 'events', 'jobs', 'storage', 'views'];
const NOUNS = ['account', 'badge', 'charge', 'draft', 'event', 'filter', 'group', 'invoice', 'journal', 'label', 'message', 'order'];
const KINDS = ['.ts', '.test.ts', '.sql', '.md'];
const LOG_LINES = 30_000;

/** Makes the folder in the system's temporary one; says where it is, how many files it has and how large the log is. */
export async function makeFolder() {
  // The server compares real paths, and some systems' temporary folder is a link.
  const path = await realpath(await mkdtemp(join(tmpdir(), 'snugfit-demo-')));
  let files = 0;
  const write = async (name, content) => {
    files++;
    await writeFile(join(path, name), content);
  };

  for (const area of AREAS) {
    for (const layer of LAYERS) {
      const folder = join('packages', area, 'src', layer);
      await mkdir(join(path, folder), { recursive: true });
      await Promise.all(NOUNS.flatMap((noun) => KINDS.map((kind) => write(join(folder, noun + kind), `${area} ${layer} ${noun}\n`))));
    }
    await write(join('packages', area, 'package.json'), JSON.stringify({ name: `@shop/${area}`, private: true }));
  }
  // What a reader of the tree should not miss.
  await write(join('packages', 'billing', 'src', 'jobs', 'core.18231.dump'), '');
  await write('docker-compose.yml', 'services: {}\n');

  const log = gatewayLog();
  await mkdir(join(path, 'logs'));
  await write(join('logs', 'gateway.log'), log);
  return { path, files, logBytes: Buffer.byteLength(log) };
}

function gatewayLog() {
  const random = generator(20_260_301);
  const pick = (list) => list[Math.floor(random() * list.length)];
  const lines = [];
  let time = Date.UTC(2026, 2, 1, 6);
  for (let i = 0; i < LOG_LINES; i++) {
    time += Math.floor(random() * 900);
    const stamp = new Date(time).toISOString();
    if (i === 21_407) {
      lines.push(
        `${stamp} ERROR billing: charge failed for order 884213: connection pool exhausted (64 of 64 in use)`,
        `    at ChargeService.charge (packages/billing/src/domain/charge.ts:118:13)`,
        `    at async OrderJob.run (packages/billing/src/jobs/order.ts:41:5)`,
        `    caused by: TimeoutError: no connection within 5000 ms`,
        `${stamp} WARN  gateway: circuit for billing opened after 5 failures`,
      );
    } else if (i % 4999 === 4998) {
      lines.push(`${stamp} WARN  gateway: slow upstream ${pick(AREAS)}: ${900 + Math.floor(random() * 4000)} ms`);
    } else {
      const status = random() < 0.01 ? 404 : 200;
      lines.push(
        `${stamp} INFO  gateway: GET /${pick(AREAS)}/${pick(NOUNS)}s/${Math.floor(random() * 1e6)} ${status} ${1 + Math.floor(random() * 80)} ms`,
      );
    }
  }
  lines.push(`${new Date(time).toISOString()} INFO  gateway: ${LOG_LINES} requests, 1 error, shutting down`);
  return lines.join('\n') + '\n';
}

/** mulberry32: small, seeded, the same everywhere. */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
