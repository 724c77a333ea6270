import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** Files that put something in the place of a module: they need modules of their own. */
const MOCKING = ['test/workspace/faults.test.ts']

export default defineConfig({
  // The tests import the package by its public name and run its sources, so that they need no build.
  resolve: { alias: { safepoint: fileURLToPath(new URL('./src/index.ts', import.meta.url)) } },
  test: {
    testTimeout: 30_000,
    // One less, the runner's own choice, would leave a core of two without work.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    coverage: { provider: 'v8', include: ['src/**'] },
    projects: [
      // Loading the modules once a worker, and not once a file, is a quarter of the whole time.
      { extends: true, test: { name: 'shared', include: ['test/**/*.test.ts'], exclude: MOCKING, isolate: false } },
      { extends: true, test: { name: 'mocking', include: MOCKING } },
    ],
  },
})
