import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ReceiptStore, ScriptedModel, Workspace } from 'safepoint'
import type { PreparedRun, PrepareRun } from '../../../inspector/server/index.js'

const BROKEN = `export function total(prices) {
  return prices.reduce((sum, price) => sum - price, 0)
}
`
const CHECK = `import { total } from './total.js'
console.log(total([2, 3, 5]) === 10 ? 'ok 1 - the total of three prices' : 'not ok')
`

const SCRIPT = [
  { tool: 'read_file', path: 'total.js' },
  { tool: 'edit_file', path: 'total.js', old: 'sum - price', new: 'sum + price' },
  { tool: 'run_command', argv: ['node', 'check.js'] },
  { final: 'total.js subtracted the prices; it adds them now, and the check passes.' },
]

/** What of the demonstration is different. */
export interface ProjectOptions {
  readonly task?: string
  readonly script?: readonly object[]
  readonly files?: Readonly<Record<string, string>>
  readonly afterToolCalls?: number
}

/** A small project of its own for each run: it is read, mended and checked, and stands at its boundary after that. */
export function createProject(options: ProjectOptions = {}): PrepareRun {
  const { files = {}, script = SCRIPT, afterToolCalls = 3 } = options
  return async (): Promise<PreparedRun> => {
    const root = await mkdtemp(join(tmpdir(), 'safepoint-page-'))
    const contents = { 'total.js': BROKEN, 'check.js': CHECK, 'package.json': '{ "type": "module" }\n', ...files }
    for (const [name, content] of Object.entries(contents)) await writeFile(join(root, name), content)
    const receipts = ReceiptStore.inMemory()
    return {
      task: options.task ?? 'The total of three prices is wrong. Find out why, mend total.js, and run the check.',
      root,
      afterToolCalls,
      createModel: () => new ScriptedModel(script.map(response => JSON.stringify(response))),
      createWorkspace: confirmTool => ({
        workspace: new Workspace(
          { root, allowWrites: true, allowedCommands: [['node', 'check.js']] },
          { confirmTool, receipts },
        ),
        receipts,
      }),
      dispose: () => rm(root, { recursive: true, force: true }),
    }
  }
}
