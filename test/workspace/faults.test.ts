import * as processes from 'node:child_process'
import { EventEmitter } from 'node:events'
import type { FileHandle } from 'node:fs/promises'
import * as fs from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { createReceipt, ReceiptStore } from 'safepoint'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createTempDir } from '../helpers/temp-dir.js'
import { editAction, namesIn, readAction, setUp, writeAction } from './setup.js'

// The faults of a disk cannot be asked for, so the file system's own functions are made to fail.
vi.mock('node:fs/promises', async importOriginal => {
  const original = await importOriginal<typeof fs>()
  return { ...original, open: vi.fn(original.open), rename: vi.fn(original.rename), link: vi.fn(original.link) }
})

vi.mock('node:child_process', async importOriginal => {
  const actual = await importOriginal<typeof processes>()
  return { ...actual, spawn: vi.fn(actual.spawn) }
})

const original = await vi.importActual<typeof fs>('node:fs/promises')

afterEach(() => {
  vi.mocked(fs.open).mockImplementation(original.open)
  vi.mocked(fs.rename).mockImplementation(original.rename)
  vi.mocked(fs.link).mockImplementation(original.link)
})

function systemFault(code: string): Error {
  return Object.assign(new Error(`${code}: at /a/path/of/the/system`), { code })
}

/** From now on, files that are opened have these methods in place of their own. */
function openWith(methods: (handle: FileHandle) => Partial<Record<keyof FileHandle, unknown>>): void {
  vi.mocked(fs.open).mockImplementation(async (...parameters) => {
    const handle = await original.open(...parameters)
    return Object.assign(handle, methods(handle))
  })
}

describe('a write that the file system refuses', () => {
  const faults: readonly (readonly [string, () => void])[] = [
    ['has no space', () => openWith(() => ({ writeFile: () => Promise.reject(systemFault('ENOSPC')) }))],
    ['may not set the mode', () => openWith(() => ({ chmod: () => Promise.reject(systemFault('EPERM')) }))],
    ['cannot reach the disk', () => openWith(() => ({ sync: () => Promise.reject(systemFault('EIO')) }))],
    ['may not rename', () => vi.mocked(fs.rename).mockRejectedValue(systemFault('EACCES'))],
  ]

  it.each(faults)('because it %s leaves the old content and no temporary file', async (_, arrange) => {
    const { workspace, root, receipts } = await setUp({ files: { 'a.txt': 'old' } })
    await workspace.readFile('a.txt')
    arrange()
    expect(await workspace.execute(writeAction('a.txt', 'new'))).toMatch(
      /^error: the file system refused to write "a\.txt"/,
    )
    expect(await workspace.execute(editAction('a.txt', 'old', 'new'))).not.toContain('/a/path/of/the/system')
    expect(await namesIn(root)).toEqual(['a.txt'])
    expect(await original.readFile(join(root, 'a.txt'), 'utf8')).toBe('old')
    expect(receipts.size).toBe(0)
    expect(workspace.modifiedFiles).toEqual([])
  })

  it('leaves no new file either', async () => {
    const { workspace, root } = await setUp()
    vi.mocked(fs.link).mockRejectedValue(systemFault('EIO'))
    const fault = await workspace.writeFile('a.txt', 'new').catch((thrown: unknown) => thrown)
    expect(fault).toMatchObject({ code: 'io_failed', cause: { code: 'EIO' } })
    expect(await namesIn(root)).toEqual([])
  })
})

describe('a file whose owner cannot be kept', () => {
  it('keeps its permission bits but those that would lend out another owner', async () => {
    const { workspace, root } = await setUp({ files: { 'a.txt': 'old' } })
    await original.chmod(join(root, 'a.txt'), 0o4750)
    await workspace.readFile('a.txt')
    openWith(handle => {
      const stat = handle.stat.bind(handle)
      const isTemporary = (): boolean => vi.mocked(fs.open).mock.lastCall?.[0].toString().endsWith('.tmp') ?? false
      return {
        stat: async () => Object.assign(await stat({ bigint: true }), isTemporary() ? { uid: 12_345n } : {}),
        chown: () => Promise.reject(systemFault('EPERM')),
      }
    })
    expect(await workspace.execute(writeAction('a.txt', 'new'))).toBe('wrote a.txt')
    expect((await original.lstat(join(root, 'a.txt'))).mode & 0o7777).toBe(0o750)
  })
})

describe('a file system without hard links', () => {
  it('still gets new files', async () => {
    const { workspace, root } = await setUp()
    vi.mocked(fs.link).mockRejectedValue(systemFault('EPERM'))
    expect(await workspace.execute(writeAction('a.txt', 'new'))).toBe('wrote a.txt')
    expect(await namesIn(root)).toEqual(['a.txt'])
  })
})

describe('in the last moment', () => {
  it('a name that is taken is not overwritten by a new file', async () => {
    const { workspace, root } = await setUp()
    vi.mocked(fs.link).mockImplementation(async (from, to) => {
      await original.writeFile(to, 'theirs')
      await original.link(from, to)
    })
    expect(await workspace.execute(writeAction('a.txt', 'ours'))).toMatch(/^error: "a\.txt" has changed meanwhile/)
    expect(await original.readFile(join(root, 'a.txt'), 'utf8')).toBe('theirs')
    expect(await namesIn(root)).toEqual(['a.txt'])
  })

  it.each([
    ['a file that changes', (file: string) => original.writeFile(file, 'theirs'), ['a.txt']],
    ['a file that goes', (file: string) => original.rm(file), []],
    [
      'a file that becomes a directory',
      (file: string) => original.rm(file).then(() => original.mkdir(file)),
      ['a.txt'],
    ],
  ])('%s is not overwritten', async (_, change, names) => {
    const { workspace, root } = await setUp({ files: { 'a.txt': 'old' } })
    await workspace.readFile('a.txt')
    openWith(handle => ({ sync: () => change(join(root, 'a.txt')).then(() => handle.datasync()) }))
    expect(await workspace.execute(writeAction('a.txt', 'ours'))).toMatch(/^error: "a\.txt" has changed meanwhile/)
    expect(await namesIn(root)).toEqual(names)
  })

  it('a directory that takes the place of the target leaves no temporary file', async () => {
    const { workspace, root } = await setUp({ files: { 'a.txt': 'old' } })
    await workspace.readFile('a.txt')
    vi.mocked(fs.rename).mockImplementation(async (from, to) => {
      await original.rm(to)
      await original.mkdir(to)
      await original.rename(from, to)
    })
    expect(await workspace.execute(writeAction('a.txt', 'ours'))).toMatch(/^error: the file system refused .*EISDIR/)
    expect(await namesIn(root)).toEqual(['a.txt'])
  })

  it('a file that is exchanged between the look and the opening is not read', async () => {
    const { workspace, root } = await setUp({ files: { 'a.txt': 'old', 'b.txt': 'theirs' } })
    vi.mocked(fs.open).mockImplementationOnce(async (...parameters) => {
      await original.rename(join(root, 'b.txt'), join(root, 'a.txt'))
      return original.open(...parameters)
    })
    await expect(workspace.readFile('a.txt')).rejects.toMatchObject({ code: 'path_refused' })
  })

  it('a link that takes the place of a file is not opened', async () => {
    const { workspace, root } = await setUp({ files: { 'a.txt': 'old', 'b.txt': 'theirs' } })
    vi.mocked(fs.open).mockImplementationOnce(async (...parameters) => {
      await original.rm(join(root, 'a.txt'))
      await original.symlink('b.txt', join(root, 'a.txt'))
      return original.open(...parameters)
    })
    expect(await workspace.execute(readAction('a.txt'))).toMatch(
      /^error: the file system refused to read "a\.txt": ELOOP/,
    )
  })
})

describe('a pipe that takes the place of a file in the last moment', () => {
  it('is refused, and nobody waits for it', async () => {
    const { workspace, root } = await setUp({ files: { 'a.txt': 'old' } })
    vi.mocked(fs.open).mockImplementationOnce(async (...parameters) => {
      await original.rm(join(root, 'a.txt'))
      processes.execFileSync('mkfifo', [join(root, 'a.txt')])
      return original.open(...parameters)
    })
    await expect(workspace.readFile('a.txt')).rejects.toMatchObject({ code: 'file_refused' })
  })
})

describe('a file that lies about its size', () => {
  it('is read to one byte over the limit and no further', async () => {
    const { workspace } = await setUp({ files: { 'a.txt': 'x'.repeat(1_000) }, policy: { maxFileBytes: 100 } })
    let requested = 0
    openWith(handle => {
      const stat = handle.stat.bind(handle)
      const read = handle.read.bind(handle) as (...parameters: unknown[]) => Promise<unknown>
      return {
        stat: async () => Object.assign(await stat({ bigint: true }), { size: 0n }),
        read: (buffer: Buffer, offset: number, length: number, position: null) => {
          requested += length
          return read(buffer, offset, length, position)
        },
      }
    })
    await expect(workspace.readFile('a.txt')).rejects.toMatchObject({ code: 'file_refused' })
    expect(requested).toBe(101)
  })
})

describe('a receipt that is written in part', () => {
  const receipt = createReceipt({
    toolCallId: 'call-1',
    tool: 'write_file',
    arguments: { path: 'a', content: '' },
    exitState: 'ok',
    result: 'wrote a',
    changedArtifacts: ['a'],
  })

  it('is taken back, and the log goes on', async () => {
    const file = join(await createTempDir(), 'receipts.jsonl')
    const store = await ReceiptStore.open(file)
    openWith(handle => {
      const write = handle.write.bind(handle)
      return { write: (bytes: Buffer) => write(bytes.subarray(0, 20)) }
    })
    await expect(store.put(receipt)).rejects.toMatchObject({ code: 'io_failed' })
    expect(await original.readFile(file, 'utf8')).toBe('')
    expect(store.size).toBe(0)
    vi.mocked(fs.open).mockImplementation(original.open)
    await store.put(receipt)
    expect((await ReceiptStore.open(file)).all()).toEqual([receipt])
  })

  it('and cannot be taken back closes the log, which is refused as torn when it is opened again', async () => {
    const file = join(await createTempDir(), 'receipts.jsonl')
    const store = await ReceiptStore.open(file)
    openWith(handle => {
      const write = handle.write.bind(handle)
      return {
        write: (bytes: Buffer) => write(bytes.subarray(0, 20)),
        truncate: () => Promise.reject(systemFault('EIO')),
      }
    })
    await expect(store.put(receipt)).rejects.toMatchObject({ code: 'io_failed' })
    vi.mocked(fs.open).mockImplementation(original.open)
    await expect(store.put(receipt)).rejects.toMatchObject({ code: 'receipt_log_damaged' })
    await expect(ReceiptStore.open(file)).rejects.toThrow(/line 1 .*torn/)
  })

  it('or that does not reach the disk is not kept', async () => {
    const file = join(await createTempDir(), 'receipts.jsonl')
    const store = await ReceiptStore.open(file)
    openWith(() => ({ datasync: () => Promise.reject(systemFault('EIO')) }))
    await expect(store.put(receipt)).rejects.toMatchObject({ code: 'io_failed', cause: { code: 'EIO' } })
    expect(store.size).toBe(0)
    expect(await original.readFile(file, 'utf8')).toBe('')
  })
})

describe('a command whose end is known before its output', () => {
  it('is answered with all of it', async () => {
    const stdout = new PassThrough()
    const stderr = new PassThrough()
    const child = Object.assign(new EventEmitter(), { stdout, stderr })
    vi.mocked(processes.spawn).mockImplementationOnce(() => {
      setImmediate(() => {
        child.emit('exit', 0, null)
        setImmediate(() => stdout.write('out '))
        setImmediate(() => setImmediate(() => stderr.write('err')))
      })
      return child as unknown as processes.ChildProcess
    })
    const { workspace } = await setUp({ policy: { allowedCommands: [['true']] } })
    expect(await workspace.runCommand(['true'])).toBe('status: 0\noutput:\nout err')
    expect(stdout.destroyed && stderr.destroyed).toBe(true)
  })

  it('does not wait for the end of streams that somebody else holds', async () => {
    const child = Object.assign(new EventEmitter(), { stdout: new PassThrough(), stderr: new PassThrough() })
    vi.mocked(processes.spawn).mockImplementationOnce(() => {
      setImmediate(() => child.emit('exit', 3, null))
      return child as unknown as processes.ChildProcess
    })
    const { workspace } = await setUp({ policy: { allowedCommands: [['true']] } })
    const timers = vi.spyOn(performance, 'now').mockReturnValue(0)
    expect(await workspace.runCommand(['true'])).toBe('status: 3\noutput:\n')
    timers.mockRestore()
  })
})
