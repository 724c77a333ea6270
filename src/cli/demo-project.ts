import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What the demonstration's model is asked to do. */
export const DEMO_TASK = 'The test in total.test.js fails. Find out why, mend total.js, and run the tests.'

/** The one command that its policy allows. */
export const DEMO_COMMAND: readonly string[] = ['node', '--test']

/** The file that is mended, as it must be afterwards. */
export const MENDED = {
  path: 'total.js',
  mode: 0o755,
  content: `#!/usr/bin/env node
export function total(prices) {
  return prices.reduce((sum, price) => sum + price, 0)
}
`,
} as const

const FILES: Readonly<Record<string, string>> = {
  'package.json': '{ "name": "totals", "private": true, "type": "module" }\n',
  [MENDED.path]: MENDED.content.replace('sum + price', 'sum - price'),
  'total.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { total } from './total.js'

test('the total of three prices', () => {
  assert.equal(total([2, 3, 5]), 10)
})
`,
}

/** What the scripted model answers, in order; the boundary comes after the third tool call. */
export const DEMO_SCRIPT: readonly string[] = [
  { tool: 'read_file', path: MENDED.path },
  { tool: 'edit_file', path: MENDED.path, old: 'sum - price', new: 'sum + price' },
  { tool: 'run_command', argv: DEMO_COMMAND },
  { final: 'total.js subtracted the prices; it adds them now, and the test passes.' },
].map(response => JSON.stringify(response))

/** Where the demonstration stops: after this many tool calls. */
export const DEMO_BOUNDARY = 3

/** A fresh temporary directory with a small project whose test fails. The caller removes it. */
export async function createDemoProject(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'safepoint-demo-'))
  try {
    for (const [name, content] of Object.entries(FILES)) await writeFile(join(root, name), content)
    await chmod(join(root, MENDED.path), MENDED.mode)
    return root
  } catch (fault) {
    await rm(root, { recursive: true, force: true })
    throw fault
  }
}
