import { execFileSync } from 'node:child_process'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listAction, putFiles, readAction, setUp } from './setup.js'

describe('read_file', () => {
  it('shows a file to the byte: byte-order mark, line ends, NUL and all', async () => {
    const text = '\ufeffone\r\ntwo\rthree\n\0é😀'
    const { workspace } = await setUp({ files: { 'a.txt': text, 'empty.txt': '' } })
    expect(await workspace.execute(readAction('a.txt'))).toBe(text)
    expect(await workspace.execute(readAction('empty.txt'))).toBe('')
  })

  it('shows a file of the limit, and refuses one of a byte more', async () => {
    const { workspace } = await setUp({
      files: { 'at.txt': '12345', 'over.txt': '123456' },
      policy: { maxFileBytes: 5 },
    })
    expect(await workspace.readFile('at.txt')).toBe('12345')
    await expect(workspace.readFile('over.txt')).rejects.toMatchObject({ code: 'file_refused' })
    expect(await workspace.execute(readAction('over.txt'))).toMatch(/larger than the limit of 5 bytes/)
  })

  it.each([
    ['a byte that begins nothing', [0xff]],
    ['a character cut short', [0x61, 0xf0, 0x9f, 0x98]],
    ['half a pair of surrogates', [0xed, 0xa0, 0x80]],
    ['a spelling longer than need be', [0xc0, 0xaf]],
  ])('refuses what is not UTF-8: %s', async (_, bytes) => {
    const { workspace } = await setUp({ files: { 'a.bin': new Uint8Array(bytes) } })
    await expect(workspace.readFile('a.bin')).rejects.toMatchObject({
      code: 'file_refused',
      message: expect.stringContaining('not valid UTF-8') as unknown,
    })
  })

  it('refuses directories, and what is neither file nor directory, without waiting for it', async () => {
    const { workspace, root } = await setUp({ files: { 'src/a': '' } })
    execFileSync('mkfifo', [join(root, 'pipe')])
    const server = createServer().listen(join(root, 'socket'))
    onTestFinished(() => {
      server.close()
    })
    for (const path of ['.', 'src', 'pipe', 'socket']) {
      await expect(workspace.readFile(path)).rejects.toMatchObject({ code: 'file_refused' })
      await expect(workspace.writeFile(path, '')).rejects.toMatchObject({ code: 'file_refused' })
      await expect(workspace.editFile(path, 'a', 'b')).rejects.toMatchObject({ code: 'file_refused' })
    }
    expect(await workspace.listFiles()).toBe('dir src')
  })
})

describe('list_files', () => {
  it('lists the root without a path, and one level only', async () => {
    const { workspace } = await setUp({ files: { 'src/deep/b.txt': '', 'a.txt': '' } })
    expect(await workspace.execute(listAction())).toBe('file a.txt\ndir src')
    expect(await workspace.execute(listAction('.'))).toBe('file a.txt\ndir src')
    expect(await workspace.execute(listAction('src'))).toBe('dir src/deep')
    expect(await workspace.execute(listAction('src/deep'))).toBe('file src/deep/b.txt')
  })

  it('sorts by code point, where characters beyond U+FFFF come last', async () => {
    const { workspace } = await setUp({ files: { '\uff5e': '', '😀': '', é: '', z: '', Z: '' } })
    expect(await workspace.listFiles()).toBe('file Z\nfile z\nfile é\nfile \uff5e\nfile 😀')
  })

  it('cuts after sorting, and counts only what it shows', async () => {
    const { workspace, root } = await setUp({
      files: { '.env': '', 'a.key': '', c: '', b: '', d: '' },
      policy: { maxListEntries: 2 },
    })
    await symlink('b', join(root, 'a'))
    expect(await workspace.listFiles()).toBe('file b\nfile c')
  })

  it('says that a directory is empty when there is nothing to show', async () => {
    const { workspace, root } = await setUp({ files: { 'hidden/.env': '', 'hidden/.safepoint-0123456789ab.tmp': '' } })
    await mkdir(join(root, 'empty'))
    expect(await workspace.listFiles('empty')).toBe('(empty directory)')
    expect(await workspace.listFiles('hidden')).toBe('(empty directory)')
  })

  it('leaves out a name that is not UTF-8, which no request could name', async () => {
    const { workspace, root } = await setUp({ files: { a: '' } })
    const name = Buffer.concat([Buffer.from(join(root, 'b')), Buffer.from([0xff])])
    // Some file systems do not take such a name in the first place.
    await writeFile(name, '').catch(() => undefined)
    expect(await workspace.listFiles()).toBe('file a')
  })

  it('refuses a file, and a directory that is gone', async () => {
    const { workspace, root } = await setUp({ files: { 'a.txt': '', 'src/b': '' } })
    await expect(workspace.listFiles('a.txt')).rejects.toMatchObject({ code: 'file_refused' })
    await rm(join(root, 'src'), { recursive: true })
    await expect(workspace.listFiles('src')).rejects.toMatchObject({ code: 'file_refused' })
    await putFiles(root, { 'src/c': '' })
    expect(await workspace.listFiles('src')).toBe('file src/c')
  })
})
