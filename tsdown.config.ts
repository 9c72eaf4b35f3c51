import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: ['host/index.ts'],
  format: ['esm', 'cjs'],
  platform: 'node',
  target: 'node20',
  dts: true,
  // `Symbol.dispose` is in no default library yet.
  banner: { dts: '/// <reference lib="esnext.disposable" />' },
  shims: true,
  clean: true,
  fixedExtension: false,
});
