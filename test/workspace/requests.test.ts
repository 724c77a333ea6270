import { join } from 'node:path'
import { ReceiptStore, type ToolAction } from 'safepoint'
import { describe, expect, it, vi } from 'vitest'
import { createTempDir } from '../helpers/temp-dir.js'
import { createRevokedProxy, createThrowingProxy } from '../helpers/values.js'
import { editAction, namesIn, readAction, runAction, setUp, writeAction } from './setup.js'

function request(tool: unknown, fields: unknown): unknown {
  return { kind: 'tool', tool, arguments: fields }
}

const hostile: readonly (readonly [kind: string, value: unknown])[] = [
  ['nothing', undefined],
  ['null', null],
  ['a number', 42],
  ['a text', '{"tool":"list_files"}'],
  ['an empty object', {}],
  ['a final action', { kind: 'final', final: 'done' }],
  ['a revoked proxy', createRevokedProxy()],
  ['a proxy that throws', createThrowingProxy({}, new Error('trap'))],
  ['a proxy that throws nothing', createThrowingProxy({}, undefined)],
  ['the tool __proto__', request('__proto__', {})],
  ['the tool constructor', request('constructor', {})],
  ['the tool toString', request('toString', {})],
  ['a tool of another case', request('Read_File', { path: 'a.txt' })],
  ['a tool that is an array', request(['read_file'], { path: 'a.txt' })],
  ['no arguments', request('read_file', undefined)],
  ['arguments that are an array', request('read_file', ['a.txt'])],
  ['arguments that are a text', request('read_file', 'a.txt')],
  ['arguments that are a revoked proxy', request('read_file', createRevokedProxy())],
  ['a missing field', request('edit_file', { path: 'a.txt', old: '1' })],
  ['an unexpected field', request('read_file', { path: 'a.txt', mode: 'r' })],
  ['a field named __proto__', request('read_file', JSON.parse('{"path":"a.txt","__proto__":{}}'))],
  ['a field named constructor', request('read_file', { path: 'a.txt', constructor: 'x' })],
  ['a symbol for a field', request('read_file', { path: 'a.txt', [Symbol('x')]: 1 })],
  ['a field that is inherited', request('read_file', Object.create({ path: 'a.txt' }))],
  [
    'a thousand fields',
    request('read_file', Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`f${i}`, '']))),
  ],
  ['a boxed text', request('read_file', { path: Object('a.txt') })],
  ['a path that is a number', request('read_file', { path: 1 })],
  ['an argv that is a text', request('run_command', { argv: 'true' })],
  ['an argv that is empty', request('run_command', { argv: [] })],
  ['an argv with an empty text', request('run_command', { argv: ['true', ''] })],
  ['an argv with a hole', request('run_command', { argv: Object.assign(new Array(2), ['true']) })],
  ['an argv of four thousand million holes', request('run_command', { argv: new Array(2 ** 32 - 1) })],
  ['half a character', request('write_file', { path: 'b.txt', content: '\udfff' })],
  ['half a character in an argv', request('run_command', { argv: ['true', '\ud800'] })],
]

describe('a request', () => {
  it.each(hostile)('that is or has %s is an error that the model can read', async (_, value) => {
    const { workspace, root, asked } = await setUp({ files: { 'a.txt': '1' }, policy: { allowedCommands: [['true']] } })
    expect(await workspace.execute(value as ToolAction)).toMatch(/^error: \S/)
    expect(asked).toEqual([])
    expect(await namesIn(root)).toEqual(['a.txt'])
  })

  it('for a tool that is not enabled names the ones that are', async () => {
    const { workspace } = await setUp({ policy: { allowWrites: false } })
    expect(await workspace.execute(writeAction('a.txt', ''))).toBe(
      'error: the tool write_file is not enabled; enabled: list_files, read_file',
    )
    expect(await workspace.execute(runAction('true'))).toMatch(/^error: the tool run_command is not enabled/)
  })

  it('is read when it comes in: what its author changes later has no effect', async () => {
    const { workspace, asked } = await setUp({ policy: { allowedCommands: [['printf', 'a']] } })
    const argv = ['printf', 'a']
    const answer = workspace.execute({ kind: 'tool', tool: 'run_command', arguments: { argv } })
    argv[1] = 'b'
    expect(await answer).toBe('status: 0\noutput:\na')
    expect(asked).toEqual([runAction('printf', 'a')])
  })
})

describe('a tool call id', () => {
  it('is counted for effects alone, and used up by what is refused or denied', async () => {
    const answers = [false, true, true]
    const { workspace, receipts } = await setUp({ confirmTool: () => answers.shift() ?? false })
    await workspace.execute(readAction('a.txt'))
    await workspace.execute(writeAction('.env', ''))
    await workspace.execute(writeAction('a.txt', '1'))
    await workspace.execute(writeAction('a.txt', '1'))
    await workspace.execute(readAction('a.txt'))
    await workspace.execute(editAction('a.txt', '1', '2'))
    expect(receipts.all().map(receipt => receipt.toolCallId)).toEqual(['call-3', 'call-4'])
  })

  it('that is known answers the recorded result of the same action, and has no effect', async () => {
    const argv = ['sh', '-c', 'echo run >> log; echo ran']
    const { workspace, asked, receipts } = await setUp({ policy: { allowedCommands: [argv] } })
    const first = await workspace.execute(runAction(...argv), undefined, 'k')
    expect(await workspace.execute(runAction(...argv), undefined, 'k')).toBe(first)
    expect(await workspace.readFile('log')).toBe('run\n')
    expect(asked).toHaveLength(1)
    expect(receipts.size).toBe(1)
  })

  it('that is known is an error for every other action, a read included', async () => {
    const { workspace, asked } = await setUp({ files: { 'b.txt': '' } })
    await workspace.execute(writeAction('a.txt', '1'), undefined, 'k')
    for (const other of [
      writeAction('a.txt', '2'),
      writeAction('./a.txt', '1'),
      editAction('a.txt', '1', '2'),
      readAction('b.txt'),
    ]) {
      expect(await workspace.execute(other, undefined, 'k')).toMatch(/^error: the tool call "k" is already recorded/)
    }
    expect(asked).toHaveLength(1)
    expect(await workspace.readFile('a.txt')).toBe('1')
  })

  it('that was refused or denied may be used again', async () => {
    const answers = [false, true]
    const { workspace } = await setUp({ confirmTool: () => answers.shift() ?? false })
    expect(await workspace.execute(writeAction('no/a', '1'), undefined, 'k')).toMatch(/^error: /)
    expect(await workspace.execute(writeAction('a', '1'), undefined, 'k')).toMatch(/^error: /)
    expect(await workspace.execute(writeAction('a', '1'), undefined, 'k')).toBe('wrote a')
  })

  it('may be a name of Object.prototype', async () => {
    const { workspace, receipts } = await setUp()
    for (const id of ['__proto__', 'constructor', 'toString']) {
      expect(receipts.get(id)).toBeUndefined()
      expect(await workspace.execute(writeAction(id, id), undefined, id)).toBe(`wrote ${id}`)
    }
    expect(receipts.all().map(receipt => receipt.toolCallId)).toEqual(['__proto__', 'constructor', 'toString'])
  })

  it.each([[''], [null], [7], [{}]])('must be a text that is not empty: %j is not', async id => {
    const { workspace, asked } = await setUp()
    expect(await workspace.execute(writeAction('a', ''), undefined, id as string)).toMatch(/^error: a tool call id/)
    expect(asked).toEqual([])
  })

  it('is not given twice by a workspace that follows another one on the same log', async () => {
    const file = join(await createTempDir(), 'receipts.jsonl')
    const first = await setUp({ receipts: await ReceiptStore.open(file) })
    await first.workspace.execute(writeAction('a', '1'))
    await first.workspace.execute(writeAction('b', '1'), undefined, 'call-3')
    const second = await setUp({ receipts: await ReceiptStore.open(file) })
    await second.workspace.execute(writeAction('a', '2'))
    await second.workspace.execute(writeAction('b', '2'))
    expect(second.receipts.all().map(receipt => receipt.toolCallId)).toEqual(['call-1', 'call-3', 'call-2', 'call-4'])
  })

  it('that is on its way is refused to another workspace of the same store', async () => {
    const receipts = ReceiptStore.inMemory()
    const other = await setUp({ receipts })
    const answers: string[] = []
    const setting = await setUp({
      receipts,
      confirmTool: async () => {
        answers.push(await other.workspace.execute(writeAction('theirs', ''), undefined, 'k'))
        return true
      },
    })
    expect(await setting.workspace.execute(writeAction('ours', ''), undefined, 'k')).toBe('wrote ours')
    expect(answers).toEqual([expect.stringMatching(/^error: .*on its way/)])
    expect(await namesIn(other.root)).toEqual([])
  })
})

describe('calls on one workspace', () => {
  it('are taken one after another, whichever way they come in', async () => {
    let running = 0
    const confirmTool = vi.fn(async () => {
      running += 1
      expect(running).toBe(1)
      await new Promise(resolve => setImmediate(resolve))
      running -= 1
      return true
    })
    const { workspace } = await setUp({ files: { 'a.txt': '0' }, confirmTool })
    const answers = await Promise.all([
      workspace.readFile('a.txt'),
      workspace.execute(editAction('a.txt', '0', '1')),
      workspace.editFile('a.txt', '1', '2'),
      workspace.execute(editAction('a.txt', '2', '3')),
      workspace.execute(readAction('a.txt')),
      workspace.execute(writeAction('a.txt', '4')),
      workspace.readFile('a.txt'),
    ])
    expect(answers).toEqual(['0', 'edited a.txt', 'edited a.txt', 'edited a.txt', '3', 'wrote a.txt', '4'])
    expect(confirmTool).toHaveBeenCalledTimes(3)
  })

  it('go on after one that fails', async () => {
    const { workspace } = await setUp({ files: { 'a.txt': 'a' } })
    const failing = workspace.readFile('missing')
    const next = workspace.readFile('a.txt')
    await expect(failing).rejects.toMatchObject({ code: 'file_refused' })
    expect(await next).toBe('a')
  })
})
