import { availableParallelism } from 'node:os';

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['__test__/**/*.test.ts'],
    testTimeout: 30_000,
    // Many tests wait for programs that they started: of two cores both are used.
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
});
