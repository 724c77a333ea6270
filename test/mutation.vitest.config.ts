import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// The tests that the mutants of src/machine and src/checkpoint are tried on: those that need no process and no browser.
export default defineConfig({
  resolve: { alias: { safepoint: fileURLToPath(new URL('../src/index.ts', import.meta.url)) } },
  test: {
    include: [
      'test/{machine,checkpoint,model}/**/*.test.ts',
      'test/model-based/{paths,structure,properties,checkpoint-properties}.test.ts',
    ],
    testTimeout: 30_000,
    bail: 1,
  },
})
