import { chmod, link, lstat, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Workspace } from 'safepoint'
import { describe, expect, it, onTestFinished } from 'vitest'
import { editAction, namesIn, readAction, setUp, writeAction } from './setup.js'

describe('write_file', () => {
  it('creates a file in a directory that exists, and may change it again without a read', async () => {
    const { workspace, root } = await setUp({ files: { 'src/a': '' } })
    expect(await workspace.execute(writeAction('src/new.txt', 'é😀\r\n'))).toBe('wrote src/new.txt')
    expect(await readFile(join(root, 'src/new.txt'), 'utf8')).toBe('é😀\r\n')
    expect(await workspace.execute(writeAction('src/new.txt', ''))).toBe('wrote src/new.txt')
    expect(workspace.modifiedFiles).toEqual(['src/new.txt'])
  })

  it('refuses a file that was not read, and one that changed since', async () => {
    const { workspace, root, asked } = await setUp({ files: { 'a.txt': '1' } })
    expect(await workspace.execute(writeAction('a.txt', 'x'))).toMatch(
      /^error: the file "a\.txt" was not read; read it/,
    )
    await workspace.readFile('a.txt')
    await writeFile(join(root, 'a.txt'), '2')
    expect(await workspace.execute(writeAction('a.txt', 'x'))).toMatch(/has changed since it was read; read it again/)
    expect(asked).toEqual([])
    expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('2')
  })

  it('takes the content of a file, not its age: the same bytes again are unchanged', async () => {
    const { workspace, root } = await setUp({ files: { 'a.txt': '1' } })
    await workspace.readFile('a.txt')
    await rm(join(root, 'a.txt'))
    await writeFile(join(root, 'a.txt'), '1')
    expect(await workspace.execute(writeAction('a.txt', '2'))).toBe('wrote a.txt')
  })

  it('counts a failed read as no read', async () => {
    const { workspace } = await setUp({ files: { 'a.txt': '123456' }, policy: { maxFileBytes: 5 } })
    await workspace.execute(readAction('a.txt'))
    await expect(workspace.writeFile('a.txt', '')).rejects.toMatchObject({ code: 'stale_file' })
  })

  it('remembers what was read for itself alone: another workspace asks for a new read', async () => {
    const { root, workspace } = await setUp({ files: { 'a.txt': '1' } })
    await workspace.readFile('a.txt')
    const second = new Workspace({ root, allowWrites: true })
    await expect(second.editFile('a.txt', '1', '2')).rejects.toMatchObject({ code: 'stale_file' })
  })

  it('measures the limit in bytes', async () => {
    const { workspace, asked } = await setUp({ policy: { maxWriteBytes: 4 } })
    expect(await workspace.execute(writeAction('a', '😀'))).toBe('wrote a')
    expect(await workspace.execute(writeAction('b', '😀!'))).toMatch(
      /^error: "b" would be 5 bytes, over the limit of 4/,
    )
    expect(asked).toHaveLength(1)
  })

  it('may leave a file larger than what is shown, and change it again', async () => {
    const { workspace } = await setUp({ policy: { maxFileBytes: 2 } })
    await workspace.writeFile('a.txt', 'long')
    expect(await workspace.editFile('a.txt', 'long', 'longer')).toBe('edited a.txt')
    await expect(workspace.readFile('a.txt')).rejects.toMatchObject({ code: 'file_refused' })
  })

  it.each(['a\ud800', '\udc00'])('refuses half a character, which UTF-8 cannot hold: %j', async content => {
    const { workspace, root } = await setUp()
    await expect(workspace.writeFile('a.txt', content)).rejects.toMatchObject({ code: 'invalid_action' })
    expect(await workspace.execute(writeAction('a.txt', content))).toMatch(/^error: .*lone surrogate/)
    expect(await namesIn(root)).toEqual([])
  })
})

describe('the list of modified files', () => {
  it('is sorted by code point and names each file once', async () => {
    const { workspace } = await setUp()
    for (const path of ['😀', '\uff5e', 'b', 'a', 'b']) await workspace.writeFile(path, path)
    expect(workspace.modifiedFiles).toEqual(['a', 'b', '\uff5e', '😀'])
  })
})

describe('edit_file', () => {
  it.each(['$&', '$1', '$$', '$`', "$'", '$<name>', '\\1', ''])('puts in %j literally', async replacement => {
    const { workspace } = await setUp({ files: { 'a.txt': 'x OLD y' } })
    await workspace.readFile('a.txt')
    expect(await workspace.execute(editAction('a.txt', 'OLD', replacement))).toBe('edited a.txt')
    expect(await workspace.readFile('a.txt')).toBe(`x ${replacement} y`)
  })

  it('leaves everything else as it is: byte-order mark, line ends, a missing last newline', async () => {
    const { workspace, root } = await setUp({ files: { 'a.txt': '\ufeffone\r\ntwo\rthree\n\nfour' } })
    await workspace.readFile('a.txt')
    await workspace.editFile('a.txt', 'two\r', '2\r\n')
    expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('\ufeffone\r\n2\r\nthree\n\nfour')
  })

  it.each([
    ['empty', 'aba', '', /is empty/],
    ['absent', 'aba', 'c', /is not present/],
    ['present twice', 'aba', 'a', /more than once/],
    ['present twice, overlapping', 'aaa', 'aa', /more than once/],
    ['absent for its case', 'aba', 'B', /is not present/],
    ['absent for its normal form', 'caf\u00e9', 'cafe\u0301', /is not present/],
  ])('refuses a text that is %s', async (_, content, old, message) => {
    const { workspace, asked } = await setUp({ files: { 'a.txt': content } })
    await workspace.readFile('a.txt')
    await expect(workspace.editFile('a.txt', old, 'x')).rejects.toMatchObject({ code: 'edit_refused' })
    expect(await workspace.execute(editAction('a.txt', old, 'x'))).toMatch(message)
    expect(asked).toEqual([])
  })

  it('measures the result, not the replacement', async () => {
    const { workspace } = await setUp({ files: { 'a.txt': '1234' }, policy: { maxWriteBytes: 4 } })
    await workspace.readFile('a.txt')
    await expect(workspace.editFile('a.txt', '4', '45')).rejects.toMatchObject({ code: 'file_refused' })
    expect(await workspace.editFile('a.txt', '4', '5')).toBe('edited a.txt')
  })
})

describe('between the approval and the effect', () => {
  it.each([
    ['changes', (file: string) => writeFile(file, '2')],
    ['goes', (file: string) => rm(file)],
    ['becomes a directory', async (file: string) => rm(file).then(() => mkdir(file))],
  ])('a file that %s is not written', async (_, change) => {
    for (const action of [editAction('a.txt', '1', 'x'), writeAction('a.txt', 'x')]) {
      const setting = await setUp({
        files: { 'a.txt': '1' },
        confirmTool: async () => change(join(setting.root, 'a.txt')).then(() => true),
      })
      await setting.workspace.readFile('a.txt')
      expect(await setting.workspace.execute(action)).toMatch(/^error: /)
      expect(setting.asked).toHaveLength(1)
      expect(setting.receipts.size).toBe(0)
      expect(setting.workspace.modifiedFiles).toEqual([])
      expect((await namesIn(setting.root)).filter(name => name !== 'a.txt')).toEqual([])
    }
  })

  it('a new file does not overwrite what appears', async () => {
    const setting = await setUp({
      confirmTool: async () => writeFile(join(setting.root, 'a.txt'), 'theirs').then(() => true),
    })
    expect(await setting.workspace.execute(writeAction('a.txt', 'ours'))).toMatch(/^error: /)
    expect(await readFile(join(setting.root, 'a.txt'), 'utf8')).toBe('theirs')
    expect(await namesIn(setting.root)).toEqual(['a.txt'])
  })

  it('a file that comes back as it was read is not the new file that was approved', async () => {
    const setting = await setUp({
      files: { 'a.txt': '1' },
      confirmTool: async () => writeFile(join(setting.root, 'a.txt'), '1').then(() => true),
    })
    await setting.workspace.readFile('a.txt')
    await rm(join(setting.root, 'a.txt'))
    expect(await setting.workspace.execute(writeAction('a.txt', '2'))).toMatch(/^error: .*changed while/)
    expect(await readFile(join(setting.root, 'a.txt'), 'utf8')).toBe('1')
  })
})

describe('the file that is left', () => {
  it.each([0o600, 0o640, 0o755, 0o444, 0o4755, 0o1777])('keeps its permission bits: %o', async mode => {
    const { workspace, root } = await setUp({ files: { 'a.txt': '1' } })
    await chmod(join(root, 'a.txt'), mode)
    const bits = (await lstat(join(root, 'a.txt'))).mode
    await workspace.execute(readAction('a.txt'))
    expect(await workspace.execute(writeAction('a.txt', '2'))).toBe('wrote a.txt')
    expect((await lstat(join(root, 'a.txt'))).mode).toBe(bits)
  })

  it.each([0o022, 0o077, 0o000])('has, when it is new, 0666 less the umask: %o', async mask => {
    const { workspace, root } = await setUp()
    const former = process.umask(mask)
    onTestFinished(() => {
      process.umask(former)
    })
    await workspace.writeFile('a.txt', '')
    expect((await lstat(join(root, 'a.txt'))).mode & 0o7777).toBe(0o666 & ~mask)
  })

  it('is another file than before, so that another hard link keeps the old content', async () => {
    const { workspace, root } = await setUp({ files: { 'a.txt': 'old' } })
    await link(join(root, 'a.txt'), join(root, 'b.txt'))
    await workspace.readFile('a.txt')
    await workspace.writeFile('a.txt', 'new')
    expect(await readFile(join(root, 'b.txt'), 'utf8')).toBe('old')
    expect((await lstat(join(root, 'a.txt'))).nlink).toBe(1)
  })
})
