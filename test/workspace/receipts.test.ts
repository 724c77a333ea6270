import { execFileSync } from 'node:child_process'
import { appendFile, link, lstat, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createReceipt, type EffectReceipt, type ReceiptFields, ReceiptStore, Workspace } from 'safepoint'
import { describe, expect, it, vi } from 'vitest'
import { createTempDir } from '../helpers/temp-dir.js'
import { catchThrown, createRevokedProxy, findUnfrozen } from '../helpers/values.js'
import { editAction, listAction, readAction, runAction, setUp, writeAction } from './setup.js'

const fields: ReceiptFields = {
  toolCallId: 'call-1',
  tool: 'write_file',
  arguments: { path: 'a.txt', content: '1' },
  exitState: 'ok',
  result: 'wrote a.txt',
  changedArtifacts: ['a.txt'],
}
const receipt = createReceipt(fields)
const second = createReceipt({ ...fields, toolCallId: 'call-2' })
const other = createReceipt({ ...fields, result: 'wrote b.txt' })

async function createLog(content?: string): Promise<string> {
  const file = join(await createTempDir(), 'receipts.jsonl')
  if (content !== undefined) await writeFile(file, content)
  return file
}

/** The line of a log that holds a receipt. */
async function lineOf(entry: EffectReceipt): Promise<string> {
  const file = await createLog()
  await (await ReceiptStore.open(file)).put(entry)
  return readFile(file, 'latin1')
}

describe('createReceipt', () => {
  it('makes a frozen copy, whose author may go on with the original', () => {
    const argv = ['printf', 'a']
    const changedArtifacts = ['b', 'a']
    const made = createReceipt({ ...fields, tool: 'run_command', arguments: { argv }, changedArtifacts })
    argv.push('b')
    changedArtifacts.push('c')
    expect(findUnfrozen(made)).toEqual([])
    expect(made).toMatchObject({ arguments: { argv: ['printf', 'a'] }, changedArtifacts: ['b', 'a'] })
  })

  it.each([
    ['nothing', undefined],
    ['a revoked proxy', createRevokedProxy()],
    ['a field too many', { ...fields, receiptId: receipt.receiptId }],
    ['a field too few', { ...fields, result: undefined }],
    ['an empty call id', { ...fields, toolCallId: '' }],
    ['a tool there is not', { ...fields, tool: 'constructor' }],
    ['another state', { ...fields, exitState: 'fine' }],
    ['arguments that are an array', { ...fields, arguments: ['a'] }],
    ['a number for an argument', { ...fields, arguments: { path: 1 } }],
    ['a number in an argv', { ...fields, arguments: { argv: [1] } }],
    ['an argument with holes', { ...fields, arguments: { argv: new Array(2 ** 32 - 1) } }],
    ['a symbol for an argument', { ...fields, arguments: { [Symbol('x')]: '' } }],
    ['artifacts that are a text', { ...fields, changedArtifacts: 'a.txt' }],
    [
      'a getter that throws',
      {
        ...fields,
        get result() {
          throw new Error('trap')
        },
      },
    ],
  ])('refuses %s', (_, value) => {
    expect(catchThrown(() => createReceipt(value as ReceiptFields))).toMatchObject({
      name: 'AgentError',
      code: 'invalid_receipt',
    })
  })
})

describe.each(['in memory', 'in a file'])('a store %s', where => {
  async function open(): Promise<ReceiptStore> {
    return where === 'in memory' ? ReceiptStore.inMemory() : ReceiptStore.open(await createLog())
  }

  it('keeps receipts in order, frozen, and one of a kind once', async () => {
    const store = await open()
    await store.put(second)
    await store.put(receipt)
    await store.put({ ...second })
    expect(store.size).toBe(2)
    expect(store.all()).toEqual([second, receipt])
    expect(store.get('call-1')).toEqual(receipt)
    expect(store.get('call-3')).toBeUndefined()
    expect(findUnfrozen(store.all())).toEqual([])
    expect(findUnfrozen(store.get('call-1'))).toEqual([])
  })

  it('refuses another receipt for the same call', async () => {
    const store = await open()
    await store.put(receipt)
    await expect(store.put(other)).rejects.toMatchObject({ code: 'call_id_conflict' })
    expect(store.all()).toEqual([receipt])
  })

  it.each([
    ['another content', { ...receipt, result: 'wrote b.txt' }],
    ['another id', { ...receipt, receiptId: other.receiptId }],
    ['an id in capitals', { ...receipt, receiptId: receipt.receiptId.toUpperCase() }],
    ['no id', fields],
    ['a field more', { ...receipt, note: '' }],
    ['nothing', undefined],
  ])('refuses a receipt with %s', async (_, value) => {
    const store = await open()
    await expect(store.put(value as EffectReceipt)).rejects.toMatchObject({ code: 'invalid_receipt' })
    expect(store.size).toBe(0)
  })

  it('takes puts one after another, the same one at the same time included', async () => {
    const store = await open()
    const receipts = Array.from({ length: 20 }, (_, index) => createReceipt({ ...fields, toolCallId: `id-${index}` }))
    await Promise.all([...receipts, ...receipts].map(entry => store.put(entry)))
    expect(store.all()).toEqual(receipts)
    const conflict = await Promise.allSettled([store.put(receipt), store.put(other), store.put(second)])
    expect(conflict.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    if (store.file !== undefined) expect((await ReceiptStore.open(store.file)).all()).toEqual(store.all())
  })
})

describe('a log', () => {
  it('is created empty, for its owner alone, and holds one ASCII line for each receipt', async () => {
    const file = await createLog()
    const store = await ReceiptStore.open(file)
    expect(await readFile(file, 'utf8')).toBe('')
    expect((await lstat(file)).mode & 0o077).toBe(0)
    await store.put(createReceipt({ ...fields, result: 'é😀\u007f\n' }))
    expect(await readFile(file, 'latin1')).toMatch(/^\{[ -~]*\\u00e9\\ud83d\\ude00\\u007f\\n[ -~]*\}\n$/)
  })

  it('whose last line lacks its newline is whole, and the next record stands on a line of its own', async () => {
    const file = await createLog((await lineOf(receipt)).trimEnd())
    const store = await ReceiptStore.open(file)
    expect(store.all()).toEqual([receipt])
    await store.put(second)
    expect((await readFile(file, 'utf8')).split('\n')).toHaveLength(3)
    expect((await ReceiptStore.open(file)).all()).toEqual([receipt, second])
  })

  it.each([
    ['a blank line', (line: string) => `${line}\n${line}`, /line 2 .*is not JSON/],
    ['a blank line at its end', (line: string) => `${line}\n`, /line 2 .*is not JSON/],
    ['white space at its end', (line: string) => `${line}  `, /line 2 .*torn/],
    ['a part of a line at its end', (line: string) => `${line}${line.slice(0, -2)}`, /line 2 .*torn/],
    ['half a line in the middle', (line: string) => `${line}{"tool"\n${line}`, /line 2 .*is not JSON/],
    ['a byte that is not UTF-8', (line: string) => Buffer.from(`${line}"\xff"\n`, 'latin1'), /line 2 .*is not JSON/],
    ['a byte-order mark', (line: string) => `\ufeff${line}`, /line 1 .*is not JSON/],
    ['a field more', (line: string) => line + line.replace('{', '{"note":"",'), /line 2 .*unexpected field "note"/],
    [
      'a hundred thousand brackets',
      (line: string) => `${line}${'['.repeat(100_000)}${']'.repeat(100_000)}\n`,
      /line 2 .*an array/,
    ],
  ])('with %s is refused, and the line is named', async (_, damage, message) => {
    const file = await createLog()
    await writeFile(file, damage(await lineOf(receipt)))
    await expect(ReceiptStore.open(file)).rejects.toMatchObject({
      code: 'receipt_log_damaged',
      message: expect.stringMatching(message) as unknown,
    })
  })

  it('with another receipt for the same call is refused, and the line is named', async () => {
    const file = await createLog((await lineOf(receipt)) + (await lineOf(second)) + (await lineOf(other)))
    await expect(ReceiptStore.open(file)).rejects.toMatchObject({
      code: 'receipt_log_damaged',
      message: expect.stringMatching(/line 3 .*"call-1"/) as unknown,
    })
  })

  it('must be a regular file: no link, no directory, no pipe', async () => {
    const directory = await createTempDir()
    await writeFile(join(directory, 'real'), '')
    await symlink('real', join(directory, 'link'))
    await symlink('missing', join(directory, 'dangling'))
    execFileSync('mkfifo', [join(directory, 'pipe')])
    const codeOf = (name: string): Promise<unknown> =>
      ReceiptStore.open(join(directory, name)).catch((fault: unknown) => fault)
    expect(await codeOf('link')).toMatchObject({ code: 'path_refused' })
    expect(await codeOf('dangling')).toMatchObject({ code: 'path_refused' })
    expect(await codeOf('.')).toMatchObject({ code: 'file_refused' })
    expect(await codeOf('pipe')).toMatchObject({ code: 'file_refused' })
    expect(await codeOf('missing/receipts.jsonl')).toMatchObject({ code: 'io_failed' })
    expect(await codeOf('real/receipts.jsonl')).toMatchObject({ code: 'io_failed' })
  })

  it('must be named by a path', async () => {
    await expect(ReceiptStore.open(undefined as never)).rejects.toMatchObject({ code: 'invalid_option' })
    await expect(ReceiptStore.open('a\0b')).rejects.toMatchObject({ code: 'io_failed' })
  })

  it('that is gone, or a link by now, takes no receipt, and the store does not keep it either', async () => {
    const file = await createLog()
    const store = await ReceiptStore.open(file)
    await store.put(receipt)
    await rm(file)
    await expect(store.put(second)).rejects.toMatchObject({ code: 'io_failed', cause: { code: 'ENOENT' } })
    await writeFile(`${file}.other`, '')
    await symlink(`${file}.other`, file)
    await expect(store.put(second)).rejects.toMatchObject({ code: 'io_failed' })
    expect(await readFile(`${file}.other`, 'utf8')).toBe('')
    expect(store.all()).toEqual([receipt])
    await rm(file)
    await writeFile(file, '')
    await store.put(second)
    expect(store.all()).toEqual([receipt, second])
  })
})

describe('the log inside the root', () => {
  it('is out of bounds for every tool, in every spelling, and is not listed', async () => {
    const { root } = await setUp({ files: { 'src/a': '' } })
    const receipts = await ReceiptStore.open(join(root, 'src/../src/log.jsonl'))
    const workspace = new Workspace({ root, allowWrites: true }, { confirmTool: () => true, receipts })
    expect(await workspace.execute(writeAction('b', '1'))).toBe('wrote b')
    await link(join(root, 'src/log.jsonl'), join(root, 'hard.txt'))
    for (const path of ['src/log.jsonl', './src//log.jsonl', 'src/log.jsonl/', 'hard.txt']) {
      for (const action of [readAction(path), writeAction(path, ''), editAction(path, 'call', 'x'), listAction(path)]) {
        expect(await workspace.execute(action), path).toMatch(/^error: .*receipt log/)
      }
    }
    expect(await workspace.listFiles('src')).toBe('file src/a')
    expect((await ReceiptStore.open(join(root, 'src/log.jsonl'))).size).toBe(1)
  })
})

describe('an effect whose receipt cannot be recorded', () => {
  it('makes execute throw, with the very value that was thrown as the cause', async () => {
    const { workspace, receipts } = await setUp({ policy: { allowedCommands: [['true']] } })
    const thrown = { reason: 'no store' }
    const put = vi.spyOn(receipts, 'put').mockRejectedValue(thrown)
    for (const action of [writeAction('a.txt', '1'), runAction('true')]) {
      const fault = await workspace.execute(action).catch((value: unknown) => value)
      expect(fault).toMatchObject({ name: 'AgentError', code: 'receipt_store_failed' })
      expect((fault as Error).cause).toBe(thrown)
    }
    expect(workspace.modifiedFiles).toEqual(['a.txt'])
    put.mockRestore()
    expect(await workspace.execute(writeAction('b.txt', '1'))).toBe('wrote b.txt')
  })

  it('says so of a log that is gone', async () => {
    const file = await createLog()
    const { workspace } = await setUp({ receipts: await ReceiptStore.open(file) })
    expect(await workspace.execute(writeAction('a.txt', '1'))).toBe('wrote a.txt')
    await rm(file)
    await mkdir(file)
    await expect(workspace.execute(writeAction('b.txt', '1'))).rejects.toMatchObject({
      code: 'receipt_store_failed',
      message: expect.stringMatching(/"call-2" took place/) as unknown,
    })
    expect(await workspace.readFile('b.txt')).toBe('1')
    expect(await workspace.execute(readAction('a.txt'))).toBe('1')
  })
})

describe('a log that is damaged while it is open', () => {
  it('keeps the next record on a line of its own', async () => {
    const file = await createLog()
    const store = await ReceiptStore.open(file)
    await store.put(receipt)
    await appendFile(file, 'torn by another process')
    await store.put(second)
    expect(await readFile(file, 'utf8')).toBe(
      `${await lineOf(receipt)}torn by another process\n${await lineOf(second)}`,
    )
  })
})
