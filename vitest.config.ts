import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  // The tests import the package by its public name and run its sources, so that they need no build.
  resolve: { alias: { safepoint: fileURLToPath(new URL('./src/index.ts', import.meta.url)) } },
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    // One more than the runner would take on two cores: much of the time goes into waiting for other processes.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    coverage: { provider: 'v8', include: ['src/**'] },
  },
})
