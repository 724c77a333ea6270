import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import fc from 'fast-check'
import {
  ReceiptStore,
  resumeAgent,
  runAgent,
  runToCheckpoint,
  ScriptedModel,
  type ToolAction,
  Workspace,
} from 'safepoint'
import { expect, test } from 'vitest'

import { check } from './property.js'

const file = fc.constantFrom('a.txt', 'b.txt', 'sub/c.txt')
const text = fc.constantFrom('one', 'two', 'ten\r\n', '$&', '😀', '')
const request = fc.oneof(
  file.map(path => ({ tool: 'read_file', path })),
  fc.record({ tool: fc.constant('write_file'), path: file, content: text }),
  fc.record({ tool: fc.constant('edit_file'), path: file, old: text, new: text }),
  fc.constantFrom('.', 'sub', 'nowhere').map(path => ({ tool: 'list_files', path })),
  fc.constantFrom(['true'], ['false'], ['cat', 'a.txt'], ['ls']).map(argv => ({ tool: 'run_command', argv })),
)
const script = fc.array(request, { minLength: 1, maxLength: 8 })

/** A workspace on a fresh project, and everything that can be seen of it from outside. */
interface Place {
  readonly workspace: Workspace
  readonly observe: () => Promise<unknown>
}

async function createPlace(root: string): Promise<Place> {
  await mkdir(join(root, 'sub'), { recursive: true })
  for (const name of ['a.txt', 'sub/c.txt']) await writeFile(join(root, name), 'one\n')
  const approvals: ToolAction[] = []
  // Some are denied, by what they are, so that a denial is the same in every run.
  const confirmTool = (action: ToolAction): boolean => {
    approvals.push(action)
    return !JSON.stringify(action).includes('two')
  }
  const receipts = ReceiptStore.inMemory()
  const allowedCommands = [['true'], ['false'], ['cat', 'a.txt']]
  const workspace = new Workspace({ root, allowWrites: true, allowedCommands }, { confirmTool, receipts })
  const observe = async (): Promise<unknown> => {
    const names = (await readdir(root, { recursive: true })).sort()
    const contents = names.map(name => readFile(join(root, name), 'utf8').catch(() => null))
    return { names, contents: await Promise.all(contents), approvals: [...approvals], receipts: receipts.all() }
  }
  return { workspace, observe }
}

test('a run that is stopped and resumed leaves what the uninterrupted run leaves, at every boundary of every script', async () => {
  const limits = { maxSteps: 50, maxIdenticalActions: 50, maxInvalidActions: 50, maxContextChars: 1_000_000 }
  const property = fc.asyncProperty(script, async requests => {
    const scratch = await mkdtemp(join(tmpdir(), 'safepoint-test-'))
    try {
      const responses = [...requests.map(item => JSON.stringify(item)), '{"final":"done"}']
      const whole = await createPlace(join(scratch, 'whole'))
      const run = await runAgent('work', new ScriptedModel(responses), whole.workspace, { limits })
      const left = await whole.observe()
      for (let afterToolCalls = 1; afterToolCalls <= requests.length; afterToolCalls += 1) {
        const place = await createPlace(join(scratch, `boundary-${afterToolCalls}`))
        const options = { limits, afterToolCalls }
        const model = new ScriptedModel(responses)
        const checkpoint = await runToCheckpoint('work', model, place.workspace, options)
        const resumed = await resumeAgent(checkpoint, new ScriptedModel(responses), place.workspace, { limits })
        expect(resumed.final).toBe(run.final)
        expect(resumed.modifiedFiles).toEqual(run.modifiedFiles)
        expect(resumed.events.map(event => event.result)).toEqual(
          run.events.slice(afterToolCalls).map(event => event.result),
        )
        expect(await place.observe()).toEqual(left)
      }
    } finally {
      await rm(scratch, { recursive: true, force: true })
    }
  })
  await check(property, 0.2)
})
