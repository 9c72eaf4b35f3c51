// Checks that dependencies point the way ARCHITECTURE.md draws them: which crate of ours may use which other, and which may name Node,
// MCP, HTTP, Redis or sockets. Looks at the manifests (every kind of dependency, and for the addon the whole graph) and at the sources.
//
//   node scripts/check-arrows.mjs
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** For each crate of ours, the others that it may use. A crate that is missing here has no place in the drawing yet. */
const ALLOWED = {
  'snugfit-engine': [],
  'snugfit-recovery': ['snugfit-engine'],
  'snugfit-vocabulary': ['snugfit-engine'],
  'snugfit-toolset': ['snugfit-engine'],
  'snugfit-store-redis': ['snugfit-recovery'],
  'snugfit-node': ['snugfit-engine', 'snugfit-recovery', 'snugfit-toolset'],
  'snugfit-proxy': ['snugfit-engine', 'snugfit-recovery', 'snugfit-toolset', 'snugfit-vocabulary', 'snugfit-store-redis'],
  'snugfit-cli': ['snugfit-engine', 'snugfit-recovery', 'snugfit-toolset', 'snugfit-vocabulary', 'snugfit-store-redis', 'snugfit-proxy'],
  'snugfit-bench': ['snugfit-engine', 'snugfit-recovery'],
};

const NETWORK = ['snugfit-proxy', 'snugfit-store-redis', 'snugfit-cli'];

/** What only some crates may name: as a dependency by name, in sources by path. */
const RESERVED = [
  { what: 'napi', owners: ['snugfit-node'], dependency: /^napi(-|$)/, source: /\bnapi(_derive)?::|\buse napi\b|#\[napi\b/ },
  { what: 'rmcp', owners: NETWORK, dependency: /^rmcp(-|$)/, source: /\brmcp::|\buse rmcp\b/ },
  { what: 'axum', owners: NETWORK, dependency: /^axum(-|$)/, source: /\baxum::|\buse axum\b/ },
  { what: 'redis', owners: NETWORK, dependency: /^redis(-|$)/, source: /\bredis::|\buse redis\b/ },
  { what: 'sockets', owners: NETWORK, dependency: /^(hyper|reqwest|socket2|tungstenite|ureq)(-|$)/, source: /\b(std|tokio)::net\b/ },
];

/** What the addon must not load, however far down: no network stack in a host that only wraps tools. */
const ADDON_WITHOUT = /^(rmcp|axum|redis|hyper|reqwest|socket2|rustls)$/;

const cargo = spawnSync('cargo', ['metadata', '--format-version', '1', '--locked'], {
  cwd: root,
  maxBuffer: 1 << 28,
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
});
// Cargo has said why: a cycle, for one, or a Cargo.lock that lags behind.
if (cargo.status !== 0) process.exit(1);
const metadata = JSON.parse(cargo.stdout);
const members = metadata.packages.filter(({ id }) => metadata.workspace_members.includes(id));
const faults = [...members.flatMap(manifestFaults), ...members.flatMap(sourceFaults), ...addonFaults()];

if (faults.length > 0) {
  console.error(faults.map((fault) => `check-arrows: ${fault}`).join('\n'));
  process.exitCode = 1;
} else {
  console.log(`check-arrows: the dependencies of ${members.length} crates point the right way`);
}

function manifestFaults({ name, dependencies }) {
  const allowed = ALLOWED[name];
  if (allowed === undefined) return [`${name} is not in the drawing; add it to ARCHITECTURE.md and to scripts/check-arrows.mjs`];
  return dependencies.flatMap((dependency) => [
    ...(dependency.name in ALLOWED && !allowed.includes(dependency.name) ? [`${name} must not depend on ${dependency.name}`] : []),
    ...RESERVED.filter((rule) => !rule.owners.includes(name) && rule.dependency.test(dependency.name)).map(
      (rule) => `${name} must not depend on ${dependency.name}: only ${rule.owners.join(', ')} may name ${rule.what}`,
    ),
  ]);
}

function sourceFaults({ name, manifest_path }) {
  const folder = relative(root, dirname(manifest_path)).split(sep).join('/');
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', `${folder}/*.rs`], {
    cwd: root,
    encoding: 'utf8',
  });
  const rules = RESERVED.filter((rule) => !rule.owners.includes(name));
  return files
    .split('\n')
    .filter((file) => file !== '' && existsSync(new URL(`../${file}`, import.meta.url)))
    .flatMap((file) =>
      readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
        .split('\n')
        .flatMap((line, index) =>
          line.trimStart().startsWith('//')
            ? []
            : rules
                .filter((rule) => rule.source.test(line))
                .map((rule) => `${file}:${index + 1}: only ${rule.owners.join(', ')} may name ${rule.what}`),
        ),
    );
}

function addonFaults() {
  const addon = members.find(({ name }) => name === 'snugfit-node');
  if (addon === undefined) return [];
  const nodes = new Map(metadata.resolve.nodes.map((node) => [node.id, node]));
  const names = new Map(metadata.packages.map(({ id, name }) => [id, name]));
  const reached = new Set([addon.id]);
  for (const id of reached) {
    for (const { pkg, dep_kinds } of nodes.get(id).deps) if (dep_kinds.some(({ kind }) => kind === null)) reached.add(pkg);
  }
  return [...reached]
    .map((id) => names.get(id))
    .filter((name) => ADDON_WITHOUT.test(name))
    .map((name) => `snugfit-node must not load ${name}, not even through another crate`);
}
