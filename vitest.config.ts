import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  // The tests import the package by its public name and run its sources, so that they need no build.
  resolve: { alias: { safepoint: fileURLToPath(new URL('./src/index.ts', import.meta.url)) } },
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    coverage: { provider: 'v8', include: ['src/**'] },
  },
})
