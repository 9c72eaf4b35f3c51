import { defineConfig } from "tsdown";

export default defineConfig({
  entry: ["host/index.ts"],
  format: ["esm", "cjs"],
  platform: "node",
  target: "node20",
  dts: true,
  shims: true,
  clean: true,
  fixedExtension: false,
});
