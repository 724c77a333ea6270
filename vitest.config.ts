import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that put something in the place of a module: they need modules of their own. */
const MOCKING = ['test/workspace/faults.test.ts']

/** Files that start browsers and processes come first, so that no worker is left alone with them at the end. */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isSlow = ({ moduleId }: TestSpecification): boolean => /test\/(inspector\/browser|crash|cli)\//.test(moduleId)
    return [...files].sort((left, right) => Number(isSlow(right)) - Number(isSlow(left)))
  }
}

export default defineConfig({
  // The tests import the package by its public name and run its sources, so that they need no build.
  resolve: { alias: { safepoint: fileURLToPath(new URL('./src/index.ts', import.meta.url)) } },
  test: {
    testTimeout: 30_000,
    // One less, the runner's own choice, would leave a core of two without work.
    sequence: { sequencer: SlowFirst },
    maxWorkers: Math.max(2, availableParallelism() - 1),
    coverage: { provider: 'v8', include: ['src/**'] },
    projects: [
      // Loading the modules once a worker, and not once a file, is a quarter of the whole time.
      { extends: true, test: { name: 'shared', include: ['test/**/*.test.ts'], exclude: MOCKING, isolate: false } },
      { extends: true, test: { name: 'mocking', include: MOCKING } },
    ],
  },
})
