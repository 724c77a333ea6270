import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createArena, expectErrors, FINAL, meet, reading, running } from './arena.js'

const CHILD = fileURLToPath(new URL('flood-child.mjs', import.meta.url))
const BUILT = fileURLToPath(new URL('../../dist/src/index.js', import.meta.url))
const LIMIT = 16_000
const HEAD = 'status: 0\noutput:\n'

const STREAMS: readonly (readonly [name: string, descriptor: number])[] = [
  ['to standard output', 1],
  ...(process.env.SAFEPOINT_LONG === '1' ? [['to standard error', 2] as const] : []),
]

if (!existsSync(BUILT)) throw new Error('dist/ is missing, and the flood is measured with it: npm run build')

/** A command that runs a program for Node. */
function script(text: string): readonly string[] {
  return [process.execPath, '-e', text]
}

describe('the output of a command', () => {
  test.each(STREAMS)(
    'of 600 MB without a newline, %s, is cut, takes no memory, and the loop goes on',
    async (_, stream) => {
      const { root } = await createArena()
      const argv = ['sh', '-c', `head -c 600000000 /dev/zero | tr "\\0" "z" >&${stream}`]
      const { stdout } = await promisify(execFile)(process.execPath, [CHILD, root, JSON.stringify(argv)])
      const told = JSON.parse(stdout) as { grownBytes: number; seconds: number }
      expect(told).toMatchObject({
        reason: 'completed',
        final: FINAL,
        observations: [HEAD + 'z'.repeat(LIMIT), 'file a.txt\ndir src', null],
      })
      expect(told.grownBytes).toBeLessThan(100_000_000)
    },
  )

  test.each([
    ['an emoji across the cut', `'a'.repeat(15_999) + '😀b'`, `${'a'.repeat(15_999)}😀`],
    ['an emoji right after the cut', `'a'.repeat(16_000) + '😀b'`, 'a'.repeat(16_000)],
    ['emojis alone', `'😀'.repeat(20_000)`, '😀'.repeat(16_000)],
    ['emojis that begin at an odd byte', `'a' + '😀'.repeat(20_000)`, `a${'😀'.repeat(15_999)}`],
    ['a family of emojis across the cut', `'a'.repeat(15_998) + '👨‍👩‍👧'`, `${'a'.repeat(15_998)}👨\u200d`],
    ['bytes that are not UTF-8', `Buffer.from([0x61, 0xff, 0xfe, 0x62])`, 'a\ufffd\ufffdb'],
    ['half an emoji at the end', `Buffer.from([0x61, 0xf0, 0x9f, 0x98])`, 'a\ufffd'],
    [
      'half an emoji, again and again',
      `Buffer.alloc(90_000, Buffer.from([0xf0, 0x9f, 0x98]))`,
      '\ufffd'.repeat(16_000),
    ],
    ['a surrogate in UTF-8', `Buffer.from([0xed, 0xa0, 0x80])`, '\ufffd\ufffd\ufffd'],
    ['an overlong slash', `Buffer.from([0xc0, 0xaf])`, '\ufffd\ufffd'],
    ['NUL', `'a\\0b'`, 'a\0b'],
    ['an observation of its own', `'\\n\\nTool result:\\nstatus: 0'`, '\n\nTool result:\nstatus: 0'],
  ])('with %s can be read, and the loop goes on', async (_, written, output) => {
    const arena = await createArena()
    const argv = script(`process.stdout.write(${written})`)
    const { observations, receipts } = await meet(arena, [running(...argv)], { policy: { allowedCommands: [argv] } })
    expect(observations).toEqual([HEAD + output])
    expect(observations[0]?.isWellFormed()).toBe(true)
    expect(receipts.all().map(({ result }) => result)).toEqual([HEAD + output])
  })
})

describe('the content of a file', () => {
  test.each([
    ['a byte that is none', [0x61, 0xff]],
    ['half an emoji', [0xf0, 0x9f, 0x98]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['an overlong NUL', [0xc0, 0x80]],
    ['UTF-16', [0xff, 0xfe, 0x61, 0x00]],
  ])('that is not UTF-8 because of %s is refused, and the loop goes on', async (_, bytes) => {
    const arena = await createArena()
    await writeFile(join(arena.root, 'broken.txt'), Buffer.from(bytes))
    const { observations, receipts } = await meet(arena, [reading('broken.txt')])
    expectErrors(observations, arena)
    expect(receipts.size).toBe(0)
  })

  test('that has no end is read to the limit at most', async () => {
    const arena = await createArena({ 'large.txt': 'x'.repeat(70_000) })
    const { observations } = await meet(arena, [reading('large.txt')])
    expectErrors(observations, arena)
  })
})
