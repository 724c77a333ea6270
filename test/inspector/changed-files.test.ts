import { execFileSync } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { parseAction, type ToolAction } from 'safepoint'
import { describe, expect, test } from 'vitest'

import { ChangedFiles } from '../../inspector/server/session/changed-files.js'
import { readTextFile } from '../../inspector/server/session/read-text-file.js'
import { createUnifiedDiff } from '../../inspector/server/session/unified-diff.js'
import { createTempDir } from '../helpers/temp-dir.js'

const write = (path: string, content: string): ToolAction =>
  parseAction(JSON.stringify({ tool: 'write_file', path, content })) as ToolAction
const edit = (path: string, old: string, replacement: string): ToolAction =>
  parseAction(JSON.stringify({ tool: 'edit_file', path, old, new: replacement })) as ToolAction

describe('the files that a run changes', () => {
  test('are compared with what they were before the first effect, not before the last', async () => {
    const root = await createTempDir()
    await writeFile(join(root, 'a.txt'), 'one\ntwo\n')
    const files = new ChangedFiles(root)
    const first = await files.foresee(edit('./a.txt', 'one', 'ONE'))
    expect(first).toMatchObject({ path: 'a.txt' })
    expect(first?.diff.text).toBe('--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-one\n+ONE\n two\n')
    await writeFile(join(root, 'a.txt'), 'ONE\ntwo\n')
    await files.foresee(edit('a.txt', 'two', 'TWO'))
    await writeFile(join(root, 'a.txt'), 'ONE\nTWO\n')
    expect(await files.refresh()).toBe(true)
    expect(files.shown.map(({ diff }) => diff.text)).toEqual([
      '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-one\n-two\n+ONE\n+TWO\n',
    ])
    expect(await files.refresh()).toBe(false)
    await writeFile(join(root, 'a.txt'), 'one\ntwo\n')
    expect([await files.refresh(), files.shown]).toEqual([true, []])
  })

  test('that are replaced show what goes and what comes; without a directory, the action alone', async () => {
    const root = await createTempDir()
    await writeFile(join(root, 'a.txt'), 'old\n')
    expect((await new ChangedFiles(root).foresee(write('a.txt', 'new\n')))?.diff.text).toContain('-old\n+new\n')
    expect((await new ChangedFiles(undefined).foresee(write('a.txt', 'new\n')))?.diff.text).toContain('+new\n')
    expect((await new ChangedFiles(undefined).foresee(edit('a.txt', 'x', 'y')))?.diff.text).toContain('-x\n')
  })

  test('show a replacement literally: a dollar sign means nothing', async () => {
    const root = await createTempDir()
    await writeFile(join(root, 'a.txt'), 'a price')
    const shown = await new ChangedFiles(root).foresee(edit('a.txt', 'price', "$& $1 $' $$"))
    expect(shown?.diff.text).toContain("+a $& $1 $' $$\n")
  })

  test('that cannot be shown say why', async () => {
    const root = await createTempDir()
    await writeFile(join(root, 'a.bin'), Buffer.from([0xff, 0xfe]))
    const files = new ChangedFiles(root)
    expect((await files.foresee(write('a.bin', 'x')))?.diff.text).toContain('it is not UTF-8')
    await files.refresh()
    expect(files.shown[0]?.diff.text).toContain('It cannot be compared')
  })
})

describe('reading a file to compare it', () => {
  test('leads nowhere outside, through no link, and waits for no pipe', async () => {
    const root = await createTempDir()
    const outside = await createTempDir()
    await writeFile(join(outside, 'secret.txt'), 'secret')
    await symlink(join(outside, 'secret.txt'), join(root, 'link.txt'))
    await symlink(outside, join(root, 'folder'))
    await mkdir(join(root, 'directory'))
    execFileSync('mkfifo', [join(root, 'pipe')])
    await writeFile(join(root, 'large.txt'), 'x'.repeat(600_000))
    for (const path of [
      'link.txt',
      'folder/secret.txt',
      join('..', outside.split('/').at(-1) ?? '', 'secret.txt'),
      join(outside, 'secret.txt'),
      'directory',
      'pipe',
      'large.txt',
      '.',
      '',
    ]) {
      expect([path, Object.keys(await readTextFile(root, path))]).toEqual([path, ['unreadable']])
    }
    expect(await readTextFile(root, 'nothing.txt')).toEqual({ missing: true })
  })
})

describe('a comparison', () => {
  test('of two long texts without a line in common is bounded, and whole', () => {
    const text = (name: string): string => Array.from({ length: 6_000 }, (_, index) => `${name} ${index}\n`).join('')
    const started = performance.now()
    const diff = createUnifiedDiff('a', text('old'), text('new'))
    expect(performance.now() - started).toBeLessThan(2_000)
    const lines = diff.split('\n')
    expect(lines.filter(line => line.startsWith('-old'))).toHaveLength(6_000)
    expect(lines.filter(line => line.startsWith('+new'))).toHaveLength(6_000)
  })

  test('of the same text is empty', () => {
    expect([createUnifiedDiff('a', 'x', 'x'), createUnifiedDiff('a', null, null)]).toEqual(['', ''])
  })

  test('of a file that comes or goes says so', () => {
    expect(createUnifiedDiff('a', null, 'x\n')).toBe('--- /dev/null\n+++ b/a\n@@ -0,0 +1,1 @@\n+x\n')
    expect(createUnifiedDiff('a', 'x\n', null)).toContain('+++ /dev/null')
  })
})
