import { lstat, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { editAction, listAction, namesIn, putFiles, readAction, setUp, writeAction } from './setup.js'

const MALFORMED: readonly (readonly [kind: string, path: string])[] = [
  ['empty', ''],
  ['blank', ' \t\n'],
  ['blank to the reference', '\u001c\u2003\u0085'],
  ['absolute', '/etc/hostname'],
  ['absolute into the root itself', '//'],
  ['climbing', '../outside'],
  ['climbing inside', 'src/../a.txt'],
  ['climbing at its end', 'src/..'],
  ['cut by NUL', 'a.txt\0'],
  ['cut by NUL in the middle', 'src\0/b.txt'],
  ['half a character', 'a\ud800.txt'],
]

const PROTECTED = [
  '.aws/config',
  '.ENV',
  'src/.Git/config',
  '.ssh',
  'Credentials',
  'ID_ED25519',
  'deep/Id_Rsa',
  '.env.',
  '.Env.local',
  'src/server.KEY',
  'x.Pem/inner',
  '.\u017fsh/config',
  'server.\u212aey',
  '.e\u200dnv',
  '.safepoint-0123456789ab.tmp',
  'src/.safepoint-0123456789ab.tmp',
]

describe('a path', () => {
  it.each([...MALFORMED, ...PROTECTED.map(path => ['protected', path] as const)])(
    'that is %s is refused by every file tool: %j',
    async (_, path) => {
      const { workspace } = await setUp({ files: { 'a.txt': 'a', 'src/b.txt': 'b' } })
      const refused = { name: 'AgentError', code: 'path_refused' }
      const isIllFormed = !path.isWellFormed()
      const expected = isIllFormed ? { code: 'invalid_action' } : refused
      await expect(workspace.listFiles(path)).rejects.toMatchObject(expected)
      await expect(workspace.readFile(path)).rejects.toMatchObject(expected)
      await expect(workspace.writeFile(path, '')).rejects.toMatchObject(expected)
      await expect(workspace.editFile(path, 'a', 'b')).rejects.toMatchObject(expected)
      expect(workspace.modifiedFiles).toEqual([])
    },
  )

  it('that is refused names itself and the rule in one sentence', async () => {
    const { workspace } = await setUp()
    expect(await workspace.execute(readAction('/etc/passwd'))).toBe(
      'error: the path "/etc/passwd" is absolute; give it relative to the workspace root',
    )
    expect(await workspace.execute(readAction('conf/.ENV'))).toContain('".ENV" is out of bounds')
  })

  it.each([
    '.environment',
    'env',
    'keys',
    'monkey',
    'pem',
    'a.pem.txt',
    '.gitignore',
    'id_rsa.pub',
    '.safepoint-x.tmp',
    'a\\b',
    'C:x',
  ])('that only looks like a protected one is a path like any other: %s', async path => {
    const { workspace } = await setUp({ files: { [path]: 'content' } })
    expect(await workspace.readFile(path)).toBe('content')
    expect(await workspace.listFiles()).toBe(`file ${path}`)
  })

  it.each(['./a//b', 'a/b/', 'a/b/.', './/a/././b//'])('has one spelling in what is reported: %s', async path => {
    const { workspace, receipts } = await setUp({ files: { 'a/x': '' } })
    expect(await workspace.execute(writeAction(path, '1'))).toBe('wrote a/b')
    expect(await workspace.execute(editAction(path, '1', '2'))).toBe('edited a/b')
    expect(workspace.modifiedFiles).toEqual(['a/b'])
    expect(receipts.all().map(receipt => receipt.changedArtifacts)).toEqual([['a/b'], ['a/b']])
  })

  it('through a file, or to what is not there, is an error that names it', async () => {
    const { workspace, asked } = await setUp({ files: { 'a.txt': 'a' } })
    expect(await workspace.execute(readAction('a.txt/b'))).toMatch(/^error: "a\.txt" is not a directory/)
    expect(await workspace.execute(writeAction('no/b', ''))).toMatch(/^error: "no" does not exist/)
    expect(await workspace.execute(readAction('no'))).toMatch(/^error: the file "no" does not exist/)
    expect(await workspace.execute(listAction('no'))).toMatch(/^error: the directory "no" does not exist/)
    expect(asked).toEqual([])
  })

  it('with a name that the file system finds too long is an error, with the cause kept', async () => {
    const { workspace } = await setUp()
    const path = 'n'.repeat(300)
    expect(await workspace.execute(writeAction(path, ''))).toMatch(/^error: .*too long/)
    await expect(workspace.readFile(path)).rejects.toMatchObject({
      code: 'io_failed',
      cause: expect.objectContaining({ code: 'ENAMETOOLONG' }),
    })
  })

  it('never shows the model where the root lies', async () => {
    const { workspace, root } = await setUp({ files: { 'a.txt': 'a' } })
    const observations = [
      await workspace.execute(readAction('n'.repeat(300))),
      await workspace.execute(readAction('a.txt/b')),
      await workspace.execute(readAction('.')),
    ]
    for (const observation of observations) expect(observation).not.toContain(root)
  })
})

describe('a symbolic link', () => {
  const links: readonly (readonly [kind: string, target: string, path: string])[] = [
    ['to a file inside', 'a.txt', 'link'],
    ['to a file outside', '../outside/secret.txt', 'link'],
    ['to a directory inside', 'src', 'link/b.txt'],
    ['to a directory outside', '../outside', 'link/secret.txt'],
    ['to the root', '.', 'link/a.txt'],
    ['to nothing', 'missing', 'link'],
    ['to another link', 'hop', 'link'],
    ['to itself', 'link', 'link'],
    ['with a slash after it', 'src', 'link/'],
    ['with a dot after it', 'src', 'link/.'],
  ]

  it.each(links)('%s is not followed by any tool', async (_, target, path) => {
    const { workspace, root } = await setUp({ files: { 'a.txt': 'a', 'src/b.txt': 'b' } })
    await putFiles(join(root, '../outside'), { 'secret.txt': 'secret' })
    await symlink('a.txt', join(root, 'hop'))
    await symlink(target, join(root, 'link'))
    const refused = { code: 'path_refused', message: expect.stringContaining('"link" is a symbolic link') as unknown }
    await expect(workspace.readFile(path)).rejects.toMatchObject(refused)
    await expect(workspace.listFiles(path)).rejects.toMatchObject(refused)
    await expect(workspace.writeFile(path, 'x')).rejects.toMatchObject(refused)
    await expect(workspace.editFile(path, 'a', 'x')).rejects.toMatchObject(refused)
    expect(await workspace.listFiles()).toBe('file a.txt\ndir src')
    expect(await readFile(join(root, '../outside/secret.txt'), 'utf8')).toBe('secret')
  })

  it('in the middle of a path is not followed', async () => {
    const { workspace, root } = await setUp({ files: { 'src/deep/b.txt': 'b' } })
    await symlink('deep', join(root, 'src/link'))
    await expect(workspace.readFile('src/link/b.txt')).rejects.toMatchObject({ code: 'path_refused' })
  })

  it.each(['file', 'directory'])(
    'that takes the place of a %s while the operator is asked is not followed',
    async what => {
      const setting = await setUp({
        files: { 'src/b.txt': 'b' },
        confirmTool: async () => {
          const { root } = setting
          await mkdir(join(root, '../outside'))
          await writeFile(join(root, '../outside/b.txt'), 'b')
          if (what === 'directory') {
            await rename(join(root, 'src'), join(root, 'old'))
            await symlink('../outside', join(root, 'src'))
          } else {
            await rm(join(root, 'src/b.txt'))
            await symlink('../../outside/b.txt', join(root, 'src/b.txt'))
          }
          return true
        },
      })
      const { workspace, root, receipts } = setting
      await workspace.readFile('src/b.txt')
      expect(await workspace.execute(editAction('src/b.txt', 'b', 'c'))).toMatch(/^error: .*symbolic link/)
      expect(await readFile(join(root, '../outside/b.txt'), 'utf8')).toBe('b')
      expect(receipts.size).toBe(0)
    },
  )

  it('that takes the place of the root is not followed', async () => {
    const { workspace, root } = await setUp({ files: { 'a.txt': 'a' }, policy: { allowedCommands: [['touch', 'b']] } })
    await rename(root, `${root}-moved`)
    await symlink('root-moved', root)
    await expect(workspace.runCommand(['touch', 'b'])).rejects.toMatchObject({ code: 'path_refused' })
    await expect(workspace.readFile('a.txt')).rejects.toMatchObject({ code: 'path_refused' })
    await expect(workspace.listFiles()).rejects.toMatchObject({ code: 'path_refused' })
    await rm(root)
    await expect(workspace.listFiles()).rejects.toMatchObject({ code: 'file_refused' })
    await expect(workspace.runCommand(['touch', 'b'])).rejects.toMatchObject({ code: 'file_refused' })
    expect(await namesIn(`${root}-moved`)).toEqual(['a.txt'])
  })
})

describe('a long name', () => {
  it.each([250, 251, 255])('of %i bytes is written, edited and listed, and nothing else is left', async length => {
    const name = `${'é'.repeat(60)}${'n'.repeat(length - 120)}`
    const { workspace, root } = await setUp()
    expect(await workspace.execute(writeAction(name, '1'))).toBe(`wrote ${name}`)
    expect(await workspace.execute(editAction(name, '1', '2'))).toBe(`edited ${name}`)
    expect(await workspace.listFiles()).toBe(`file ${name}`)
    expect(await namesIn(root)).toEqual([name])
    expect((await lstat(join(root, name))).size).toBe(1)
  })
})
