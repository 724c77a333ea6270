import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { ReceiptStore, type ToolAction, Workspace } from 'safepoint'
import { describe, expect, test, vi } from 'vitest'

import { isAlive } from '../helpers/processes.js'
import { createTempDir } from '../helpers/temp-dir.js'

const write = (path: string, content = 'x'): ToolAction => ({
  kind: 'tool',
  tool: 'write_file',
  arguments: { path, content },
})

/** Approvals that wait until they are all given at once. */
function holdApprovals(): { confirmTool: () => Promise<boolean>; approve: () => void } {
  let approve: () => void = () => undefined
  const approved = new Promise<boolean>(resolve => {
    approve = () => resolve(true)
  })
  return { confirmTool: () => approved, approve }
}

describe('two workspaces on one store', () => {
  test('give each effect an id and a receipt of its own, whichever is approved first', async () => {
    const root = await createTempDir()
    const receipts = ReceiptStore.inMemory()
    const { confirmTool, approve } = holdApprovals()
    const create = (): Workspace => new Workspace({ root, allowWrites: true }, { confirmTool, receipts })
    const both = [create().execute(write('a')), create().execute(write('b'))]
    approve()
    expect(await Promise.all(both)).toEqual(['wrote a', 'wrote b'])
    expect(new Map(receipts.all().map(receipt => [receipt.toolCallId, receipt.result]))).toEqual(
      new Map([
        ['call-1', 'wrote a'],
        ['call-2', 'wrote b'],
      ]),
    )
  })

  test('run an effect under a given id once, and refuse it while it is on its way', async () => {
    const root = await createTempDir()
    const receipts = ReceiptStore.inMemory()
    const { confirmTool, approve } = holdApprovals()
    const asked = vi.fn(confirmTool)
    const options = { confirmTool: asked, receipts }
    const [one, other] = [1, 2].map(() => new Workspace({ root, allowWrites: true }, options))
    const first = one?.execute(write('a'), undefined, 'id')
    const second = await other?.execute(write('a'), undefined, 'id')
    approve()
    expect(await first).toBe('wrote a')
    expect(second).toMatch(/^error: .*"id" is on its way/)
    expect(await other?.execute(write('a'), undefined, 'id')).toBe('wrote a')
    expect([asked.mock.calls.length, receipts.size]).toEqual([1, 1])
  })

  test('give an id back when its effect was denied', async () => {
    const root = await createTempDir()
    const receipts = ReceiptStore.inMemory()
    const denying = new Workspace({ root, allowWrites: true }, { confirmTool: () => false, receipts })
    const approving = new Workspace({ root, allowWrites: true }, { confirmTool: () => true, receipts })
    expect(await denying.execute(write('a'), undefined, 'id')).toMatch(/^error: operator denied/)
    expect(await approving.execute(write('a'), undefined, 'id')).toBe('wrote a')
  })
})

describe('a workspace that is used for long', () => {
  test('keeps no answer that it has given', async () => {
    const root = await createTempDir()
    await writeFile(join(root, 'big.txt'), 'x'.repeat(1_000_000))
    const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '--eval', GROWTH, root], {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    child.stdout.on('data', chunk => (output += String(chunk)))
    await once(child, 'close')
    expect(Number(output)).toBeLessThan(10_000_000) // 60 answers of 1 MB were given
  })

  test('does not leave a command behind when the process exits while it runs', async () => {
    const root = await createTempDir()
    const pidFile = join(root, 'pid')
    const child = spawn(process.execPath, ['--input-type=module', '--eval', EXIT, root], {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    const [status] = (await once(child, 'close')) as [number]
    expect(status).toBe(7)
    const pid = Number(await readFile(pidFile, 'utf8'))
    await vi.waitUntil(() => !isAlive(pid))
  })
})

const GROWTH = `
  import { Workspace } from 'safepoint'
  const workspace = new Workspace({ root: process.argv[1], maxFileBytes: 2_000_000 })
  const read = { kind: 'tool', tool: 'read_file', arguments: { path: 'big.txt' } }
  await workspace.execute(read)
  gc()
  const before = process.memoryUsage().heapUsed
  for (let index = 0; index < 60; index += 1) await workspace.execute(read)
  gc()
  process.stdout.write(String(process.memoryUsage().heapUsed - before))`

const EXIT = `
  import { existsSync } from 'node:fs'
  import { Workspace } from 'safepoint'
  const argv = ['sh', '-c', 'echo $$ > pid.new; mv pid.new pid; sleep 60']
  const workspace = new Workspace({ root: process.argv[1], allowedCommands: [argv] })
  void workspace.runCommand(argv)
  const poll = setInterval(() => {
    if (!existsSync(process.argv[1] + '/pid')) return
    clearInterval(poll)
    process.exit(7)
  }, 5)`
