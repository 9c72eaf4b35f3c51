// Writes the payloads of this corpus and its needs.jsonl: invented results of tools, in the forms that real tools have, the same at every run.
// The dates, names and numbers mean nothing. What a need asks for stands where such things stand in practice: in an unusual record, in what the
// call's arguments name, at the end, in a total.
//
//   node bench/fidelity/make.mjs
import { mkdirSync, writeFileSync } from 'node:fs';

const folder = new URL('./', import.meta.url);
const rows = [];
let state = 7;

/** A number below `n`: a linear congruence, the same everywhere. */
function below(n) {
  state = (state * 1103515245 + 12345) % 2147483648;
  return Math.floor((state / 2147483648) * n);
}
const pick = (list) => list[below(list.length)];
const WORDS =
  'export invoice upload session retry search filter webhook cache import report token sync avatar billing theme keyboard offline chart column'.split(
    ' ',
  );
const words = (n) => Array.from({ length: n }, () => pick(WORDS)).join(' ');
const hex = (n) => Array.from({ length: n }, () => pick([...'0123456789abcdef'])).join('');
const range = (n, make) => Array.from({ length: n }, (_, i) => make(i));
const two = (n) => String(n).padStart(2, '0');

function add(id, file, kind, tool, text, needs) {
  writeFileSync(new URL(`payloads/${file}`, folder), text);
  const named = needs.map(([question, ...evidence]) => ({ question, evidence }));
  rows.push(JSON.stringify({ id, file: `payloads/${file}`, kind, tool: { name: tool[0], arguments: tool[1] }, needs: named }));
}

mkdirSync(new URL('payloads/', folder), { recursive: true });

const issues = range(48, (i) => ({
  number: 900 - i,
  title: i === 31 ? 'Exports lose the last row when a filter is set' : `${words(5)} (${i})`,
  state: i === 31 ? 'reopened' : pick(['open', 'open', 'closed']),
  user: { login: pick(['mira', 'tobias', 'okoro', 'lin']), avatar_url: `https://avatars.example.com/u/${i}`, site_admin: false },
  labels: [pick(['bug', 'feature', 'docs'])],
  comments: i === 12 ? 341 : below(9),
  created_at: `2026-0${1 + below(6)}-${two(1 + below(28))}T09:${two(below(60))}:00Z`,
  body: words(45),
}));
add(
  'issues',
  'issues.json',
  'records',
  ['search_issues', { query: 'exports filter' }],
  JSON.stringify({ total_count: 1312, incomplete_results: false, items: issues, next_page: 'b3BhcXVlLWN1cnNvci0y' }),
  [
    ['How many issues match in all?', '1312'],
    ['Which issue is about exports and filters?', '869', 'Exports lose the last row when a filter is set'],
    ['Which issue was reopened?', 'reopened'],
    ['Which issue has by far the most comments?', '341', '888'],
    ['How is the next page asked for?', 'b3BhcXVlLWN1cnNvci0y'],
  ],
);

const pods = range(110, (i) => {
  const name = `${pick(['api', 'worker', 'search', 'mailer'])}-${hex(9)}-${hex(5)}`;
  return i === 67
    ? 'mailer-6f9c4d7b8-x2lqp               0/1     CrashLoopBackOff   214        19h'
    : `${name.padEnd(36)} 1/1     Running            ${String(below(3)).padEnd(10)} ${1 + below(40)}d`;
});
add(
  'pods',
  'pods.txt',
  'table',
  ['kubectl', { command: 'get pods' }],
  `NAME                                 READY   STATUS             RESTARTS   AGE\n${pods.join('\n')}\n`,
  [
    ['Which pod does not run?', 'mailer-6f9c4d7b8-x2lqp', 'CrashLoopBackOff'],
    ['How often was it restarted?', '214'],
    ['What are the columns?', 'NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE'],
  ],
);

const log = range(420, (i) => {
  const at = `2026-05-03T11:${two(Math.floor(i / 60) + 10)}:${two(i % 60)}.${100 + below(900)}Z`;
  if (i === 0) return `${at} INFO  boot version=4.11.2 commit=9fd01c3`;
  if (i === 288) return `${at} ERROR pool exhausted: 64 of 64 connections in use, waited 30000ms tenant=acme-eu`;
  if (i === 289) return `${at} WARN  circuit breaker opened for ledger`;
  if (i === 419) return `${at} INFO  shutdown after 419 events, exit code 75`;
  return `${at} ${pick(['INFO ', 'INFO ', 'DEBUG'])} request id=${hex(12)} path=/v2/${pick(WORDS)} status=200 took=${below(90)}ms`;
});
add('service-log', 'service.log', 'log', ['read_file', { path: 'service.log' }], `${log.join('\n')}\n`, [
  ['What failed?', 'pool exhausted', '64 of 64 connections in use'],
  ['For which tenant?', 'acme-eu'],
  ['What happened next?', 'circuit breaker opened for ledger'],
  ['Which version ran?', '4.11.2'],
  ['How did it end?', 'exit code 75'],
]);

const orders = range(430, (i) =>
  i === 301
    ? `301,2026-04-19,Halvorsen AS,REFUNDED,-18450.00,NOK`
    : `${i},2026-0${1 + below(4)}-${two(1 + below(28))},${words(2)},PAID,${10 + below(400)}.${two(below(100))},EUR`,
);
add(
  'orders',
  'orders.csv',
  'csv',
  ['query', { sql: 'select * from orders order by id' }],
  `id,day,customer,status,amount,currency\n${orders.join('\n')}\n`,
  [
    ['Which order was refunded?', '301', 'REFUNDED'],
    ['Who was the customer, and how much was it?', 'Halvorsen AS', '-18450.00'],
    ['What is the last order?', orders[429].slice(0, 14)],
    ['What are the columns?', 'id,day,customer,status,amount,currency'],
  ],
);

const points = range(1500, (i) => [1746000000 + i * 60, i === 977 ? 0.9731 : Number((0.2 + below(900) / 10000).toFixed(4))]);
add(
  'metrics',
  'metrics.json',
  'series',
  ['query_range', { query: 'cpu_usage' }],
  JSON.stringify({
    status: 'success',
    data: { resultType: 'matrix', result: [{ metric: { __name__: 'cpu_usage', instance: 'db-2:9100' }, values: points }] },
  }),
  [
    ['Which instance is it?', 'db-2:9100'],
    ['When was the spike, and how high?', String(points[977][0]), '0.9731'],
    ['What is the newest value?', String(points[1499][0])],
  ],
);

const packages = Object.fromEntries(
  range(90, (i) => {
    const name = `${pick(WORDS)}-${pick(WORDS)}-${i}`;
    const severity = i === 55 ? 'critical' : pick(['low', 'moderate']);
    return [
      i === 55 ? 'tar-lite' : name,
      {
        name: i === 55 ? 'tar-lite' : name,
        severity,
        isDirect: i === 55,
        via: [
          {
            source: 100000 + i,
            title: i === 55 ? 'Path traversal when links are unpacked' : words(6),
            url: `https://advisories.example.com/${hex(12)}`,
          },
        ],
        range: `<${1 + below(9)}.${below(20)}.0`,
        nodes: [`node_modules/${name}`],
        fixAvailable: i !== 55,
      },
    ];
  }),
);
add(
  'audit',
  'audit.json',
  'map',
  ['npm_audit', {}],
  JSON.stringify(
    {
      auditReportVersion: 2,
      vulnerabilities: packages,
      metadata: { vulnerabilities: { info: 0, low: 44, moderate: 45, high: 0, critical: 1, total: 90 } },
    },
    null,
    2,
  ),
  [
    ['Which package is critical?', 'tar-lite', 'critical'],
    ['What is wrong with it?', 'Path traversal when links are unpacked'],
    ['How many are there in all?', '"total":'],
  ],
);

const sections = range(
  24,
  (i) =>
    `<section id="s${i}"><h2>${i === 15 ? 'Limits' : `Part ${i}: ${words(3)}`}</h2><p>${words(40)}.</p>${i === 15 ? '<table><tr><th>Plan</th><th>Requests a minute</th></tr><tr><td>Free</td><td>60</td></tr><tr><td>Team</td><td>1,200</td></tr></table>' : `<p>${words(40)}.</p>`}</section>`,
);
add(
  'page',
  'page.html',
  'html',
  ['fetch', { url: 'https://docs.example.com/api' }],
  `<!DOCTYPE html><html><head><title>Kestrel API reference</title><style>body{margin:0}</style><script>window.x={a:1}</script></head><body><nav>${range(60, (i) => `<a href="/n${i}">${words(2)}</a>`).join('')}</nav><main><h1>Kestrel API</h1>${sections.join('\n')}<p>Next: <a href="https://docs.example.com/api/errors">Errors</a></p></main><footer>${words(30)}</footer></body></html>`,
  [
    ['What page is it?', 'Kestrel API reference'],
    ['How many requests may a team make?', 'Team', '1,200'],
    ['Which page comes next?', 'https://docs.example.com/api/errors'],
  ],
);

const services = range(
  60,
  (i) =>
    `- name: ${i === 41 ? 'ledger' : `${pick(WORDS)}-${i}`}\n  image: registry.internal/${pick(WORDS)}:${below(5)}.${below(30)}.${below(9)}\n  replicas: ${i === 41 ? 0 : 2 + below(3)}\n  env:\n    LOG_LEVEL: ${i === 41 ? 'trace' : 'info'}\n    TIMEOUT: "${30 + below(3)}s"\n  # ${words(8)}\n`,
);
add(
  'services',
  'services.yaml',
  'yaml',
  ['read_file', { path: 'deploy/services.yaml', search: 'ledger' }],
  `# Services of the staging cluster\nversion: 3\nservices:\n${services.join('')}`,
  [
    ['How many replicas has the ledger?', 'ledger', 'replicas: 0'],
    ['Which log level has it?', 'LOG_LEVEL: trace'],
    ['Which version has the file?', 'version: 3'],
  ],
);

const diff = range(
  26,
  (i) =>
    `diff --git a/src/${WORDS[i % 20]}${i}.ts b/src/${WORDS[i % 20]}${i}.ts\nindex ${hex(7)}..${hex(7)} 100644\n--- a/src/${WORDS[i % 20]}${i}.ts\n+++ b/src/${WORDS[i % 20]}${i}.ts\n@@ -${10 + i},9 +${10 + i},9 @@ export function ${WORDS[i % 20]}() {\n${range(4, () => `   ${words(7)};\n`).join('')}-  const limit = ${i === 18 ? '5_000' : i};\n+  const limit = ${i === 18 ? '50' : i + 1};\n${range(4, () => `   ${words(7)};\n`).join('')}`,
);
add('diff', 'change.diff', 'diff', ['git_diff', { range: 'main..release' }], diff.join(''), [
  ['What is the first file?', `src/${WORDS[0]}0.ts`],
  ['What is the last file?', `src/${WORDS[5]}25.ts`],
  ['Which limit was lowered?', 'const limit = 5_000;', 'const limit = 50;'],
]);

const tests = range(
  140,
  (i) =>
    `  <testcase classname="suite.${pick(WORDS)}" name="${words(4)} ${i}" time="0.${below(900)}"${i === 97 ? '>\n    <failure message="expected 3 rows, got 2" type="AssertionError">at rows.test.ts:118:7</failure>\n  </testcase>' : '/>'}\n`,
);
add(
  'junit',
  'junit.xml',
  'xml',
  ['read_file', { path: 'junit.xml' }],
  `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="nightly" tests="140" failures="1" time="61.204">\n${tests.join('')}</testsuite>\n`,
  [
    ['How many tests failed, of how many?', 'tests="140"', 'failures="1"'],
    ['Why did it fail?', 'expected 3 rows, got 2'],
    ['Where?', 'rows.test.ts:118:7'],
  ],
);

const crates = range(60, () => `   Compiling ${pick(WORDS)}-${pick(WORDS)} v${below(3)}.${below(30)}.${below(9)}`);
add(
  'build',
  'cargo-build.txt',
  'build',
  ['run', { command: 'cargo build' }],
  `${crates.join('\n')}
warning: unused variable: \`width\`
  --> crates/canvas/src/layout.rs:88:9
   |
88 |     let width = 4;
   |         ^^^^^ help: if this is intentional, prefix it with an underscore: \`_width\`
   |
   = note: \`#[warn(unused_variables)]\` on by default

${range(30, (i) => `   Compiling ${pick(WORDS)}-${i} v0.${i}.0`).join('\n')}
error[E0502]: cannot borrow \`shapes\` as mutable because it is also borrowed as immutable
   --> crates/canvas/src/scene.rs:212:13
    |
209 |     let first = &shapes[0];
    |                  ------ immutable borrow occurs here
212 |             shapes.push(extra);
    |             ^^^^^^^^^^^^^^^^^^ mutable borrow occurs here

For more information about this error, try \`rustc --explain E0502\`.
error: could not compile \`canvas\` (lib) due to 1 previous error; 1 warning emitted
`,
  [
    ['What is the error?', 'E0502', 'cannot borrow `shapes` as mutable'],
    ['Where is it?', 'crates/canvas/src/scene.rs:212:13'],
    ['Which crate could not be compiled?', 'could not compile `canvas`'],
    ['Where is the warning?', 'crates/canvas/src/layout.rs:88:9'],
  ],
);

const guide = range(
  30,
  (i) =>
    `## ${i === 21 ? 'Rotating the signing key' : `Chapter ${i}: ${words(3)}`}\n\n${words(30)}. ${words(25)}.\n\n${i === 21 ? 'Run `kestrelctl keys rotate --grace 72h` on one node only.\n\n' : ''}- ${words(6)}\n- [${words(2)}](https://example.com/guide/${i})\n`,
);
add(
  'guide',
  'guide.md',
  'markdown',
  ['read_file', { path: 'guide.md', section: 'signing key' }],
  `# Operator's guide\n\n${guide.join('\n')}`,
  [
    ['How is the key rotated?', 'kestrelctl keys rotate --grace 72h'],
    ['Which part says so?', 'Rotating the signing key'],
    ['What is it?', "Operator's guide"],
  ],
);

writeFileSync(new URL('needs.jsonl', folder), `${rows.join('\n')}\n`);
