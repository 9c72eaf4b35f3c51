import { defineConfig } from 'tsdown';

/** What needs a framework lives in a subpath of its own. */
const subpaths = {
  ai: 'host/adapters/ai.ts',
  client: 'host/client.ts',
  'just-bash': 'host/just-bash.ts',
  langchain: 'host/adapters/langchain.ts',
  mastra: 'host/adapters/mastra.ts',
  mcp: 'host/adapters/mcp.ts',
  'openai-agents': 'host/adapters/openai-agents.ts',
  redis: 'host/redis.ts',
};

const common = {
  platform: 'node' as const,
  target: 'node20',
  shims: true,
  fixedExtension: false,
  // The builds run at once, into one folder: scripts/types.mjs empties it before.
  clean: false,
};
/** Those of the CommonJS face are made of these by scripts/types.mjs. */
const types = {
  ...common,
  format: 'esm' as const,
  dts: { emitDtsOnly: true },
  // `Symbol.dispose` is in no default library yet.
  banner: { dts: '/// <reference lib="esnext.disposable" />' },
};

export default defineConfig([
  // The code of all entries together, so that they share one addon and one class of errors.
  { ...common, format: ['esm', 'cjs'], entry: { index: 'host/index.ts', ...subpaths }, dts: false },
  // The types of the root apart, so that they are one file (see scripts/types.mjs).
  { ...types, entry: { index: 'host/index.ts' } },
  { ...types, entry: subpaths },
]);
