import { symlinkSync } from 'node:fs'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import type { Model } from 'safepoint'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  type Arena,
  createArena,
  editing,
  everyFileTool,
  expectErrors,
  FINAL,
  listing,
  meet,
  putFiles,
  reading,
  readTree,
  SECRET,
  writing,
} from './arena.js'

const LIMITS = { maxSteps: 5_000, maxContextChars: 100_000_000, maxIdenticalActions: 5_000 }
const FINISH = JSON.stringify({ final: FINAL })

describe('a path', () => {
  test.each([
    ['climbs out', '../ws-evil/secret.txt'],
    ['climbs out and in again', '../ws/a.txt'],
    ['climbs out from a directory', 'src/../../outside/secret.txt'],
    ['climbs after a dot', './../outside/secret.txt'],
    ['climbs at its end', 'src/..'],
    ['is two dots', '..'],
    ['is absolute', '/etc/passwd'],
    ['is absolute after two slashes', '//etc/passwd'],
    ['goes on through /proc', '/proc/self/root/etc/passwd'],
    ['climbs with percent signs', '%2e%2e/outside/secret.txt'],
    ['climbs with percent signs all along', '%2e%2e%2foutside%2fsecret.txt/x'],
    ['climbs with overlong percent signs', '..%c0%af../outside/secret.txt'],
    ['climbs into a sibling with the same beginning', '../ws-evil'],
    ['names the sibling as a child', 'ws-evil/secret.txt'],
    ['is a URL of a file', 'file:///etc/passwd'],
    ['begins in the home directory', '~/.profile'],
    ['ends in NUL', 'a.txt\0'],
    ['is cut by NUL', 'a.txt\0.png'],
    ['climbs after NUL', '\0/../outside/secret.txt'],
    ['is blank', ' \t'],
    ['is empty', ''],
    ['has a lone surrogate', 'a\ud800/../../outside/secret.txt'],
    ['is longer than any name', 'n'.repeat(5_000)],
    ['is deeper than any directory', 'd/'.repeat(5_000)],
  ])('that %s leads nowhere: %j', async (_, path) => {
    const arena = await createArena()
    const before = readTree(arena.root)
    const { observations, receipts, inside } = await meet(arena, everyFileTool(path))
    expectErrors(observations, arena)
    expect(receipts.size).toBe(0)
    expect(inside).toEqual(before)
  })

  test.each([
    ['climbs with backslashes', '..\\ws-evil\\secret.txt'],
    ['is absolute with backslashes', 'C:\\secret.txt'],
    ['is two dots in percent signs', '%2e%2e'],
    ['is three dots', '...'],
    ['climbs with letters that only look like dots', '\u2024\u2024\u2215outside'],
    ['names a variable', '$HOME'],
  ])('that %s on another system is a plain name inside the root here: %j', async (_, path) => {
    const arena = await createArena()
    const before = readTree(arena.root)
    const { observations, receipts, inside } = await meet(arena, everyFileTool(path))
    expectErrors(observations.slice(0, 3), arena)
    expect(observations[3]).toBe(`wrote ${path}`)
    expect(inside).toEqual({ ...before, [path]: 'owned' })
    expect(receipts.all().map(({ changedArtifacts }) => changedArtifacts)).toEqual([[path]])
  })
})

describe('a name that is protected', () => {
  test.each([
    '.env',
    '.ENV',
    '.Env.Local',
    'Id_RSA',
    'ID_ED25519',
    '.Git',
    '.SSH',
    '.aWs',
    'CREDENTIALS',
    'server.KEY',
    'server.Pem',
    'src/.ENV',
  ])('in whatever case is out of bounds: %s', async name => {
    const arena = await createArena({ [name]: SECRET })
    const before = readTree(arena.root)
    const directory = name.includes('/') ? 'src' : '.'
    const { observations, receipts, inside } = await meet(arena, [
      ...everyFileTool(name),
      ...everyFileTool(`${name}/inner`),
      listing(directory),
    ])
    expectErrors(observations.slice(0, -1), arena)
    expect(observations.at(-1)).toBe(directory === '.' ? 'file a.txt\ndir src' : 'file src/b.txt')
    expect(receipts.size).toBe(0)
    expect(inside).toEqual(before)
  })
})

describe('a symbolic link', () => {
  const links: readonly (readonly [kind: string, links: Readonly<Record<string, string>>, path: string])[] = [
    ['to a file outside', { link: '../outside/secret.txt' }, 'link'],
    ['to an absolute file', { link: '/etc/passwd' }, 'link'],
    ['to a directory outside', { link: '../outside' }, 'link'],
    ['to a directory outside, with a slash', { link: '../outside' }, 'link/'],
    ['to a directory outside, and on from there', { link: '../outside' }, 'link/secret.txt'],
    ['to the directory above', { link: '..' }, 'link/outside/secret.txt'],
    ['to nothing', { link: '../outside/missing' }, 'link'],
    ['to a link', { link: 'hop', hop: '../outside/secret.txt' }, 'link'],
    ['to a link to a directory', { link: 'hop', hop: '../outside' }, 'link/secret.txt'],
    ['to itself', { link: 'link' }, 'link'],
    ['in the middle', { 'src/link': '../../outside' }, 'src/link/secret.txt'],
    ['in the middle, twice', { 'src/link': 'hop', 'src/hop': '../../outside' }, 'src/link/deep/secret.txt'],
    ['to a file inside', { link: 'a.txt' }, 'link'],
  ]

  test.each(links)('%s is not followed', async (_, made, path) => {
    const arena = await createArena()
    for (const [link, target] of Object.entries(made)) symlinkSync(target, join(arena.root, link))
    const before = readTree(arena.root)
    const { observations, receipts, inside } = await meet(arena, [...everyFileTool(path), listing('.')])
    expectErrors(observations.slice(0, -1), arena)
    for (const observation of observations.slice(0, -1)) expect(observation).toContain('is a symbolic link')
    expect(observations.at(-1)).toBe('file a.txt\ndir src')
    expect(receipts.size).toBe(0)
    expect(inside).toEqual(before)
  })

  test('that takes the place of a file while the operator is asked is not followed', async () => {
    const arena = await createArena({ 'page.txt': 'public' })
    putFiles(arena.base, { 'outside/page.txt': 'public' })
    const confirmTool = async (): Promise<boolean> => {
      await fs.rm(join(arena.root, 'page.txt'))
      await fs.symlink('../outside/page.txt', join(arena.root, 'page.txt'))
      return true
    }
    const script = [reading('page.txt'), editing('page.txt', 'public', 'owned'), writing('page.txt')]
    const { observations, receipts, inside } = await meet(arena, script, { confirmTool })
    expect(observations[0]).toBe('public')
    expectErrors(observations.slice(1), arena)
    expect(receipts.size).toBe(0)
    expect(inside['page.txt']).toBe('link to ../outside/page.txt')
  })

  test('that takes the place of a file in the moment of its opening is not followed', async () => {
    const arena = await createArena()
    const { open } = fs
    let swapped = 0
    patchOpen(async (...parameters) => {
      if (String(parameters[0]) === join(arena.root, 'a.txt')) {
        swapped += 1
        await replaceByLink(arena)
      }
      return open(...parameters)
    })
    const { observations, receipts } = await meet(arena, [reading('a.txt'), reading('a.txt'), reading('src/b.txt')])
    expect(swapped).toBe(1)
    expectErrors(observations.slice(0, 2), arena)
    expect(observations[2]).toBe('inside')
    expect(receipts.size).toBe(0)
  })

  test('that takes turns with a file while it is read and edited never shows or changes what it points at', async () => {
    const arena = await createArena()
    putFiles(arena.base, { 'outside/secret.txt': `inside, but ${SECRET}` })
    let isOver = false
    const swapping = takeTurns(arena, () => isOver)
    const seen = new Map<string, number>()
    const tries = { left: 4_000 }
    const model: Model = {
      async generate(messages) {
        const observation = String(messages.at(-1)?.content.slice('Tool result:\n'.length))
        const kind = observation
          .replace(/^inside!*$/, 'the file')
          .replace(/^edited .*/, 'an edit')
          .replace(/^error: .*/s, 'an error')
        seen.set(kind, (seen.get(kind) ?? 0) + 1)
        tries.left -= 1
        const isEnough = (seen.get('the file') ?? 0) >= 50 && (seen.get('an error') ?? 0) >= 50
        if (isEnough || tries.left === 0) return FINISH
        return tries.left % 4 === 0 ? editing('a.txt', 'inside', 'inside!') : reading('a.txt')
      },
    }
    const outcome = await meet(arena, model, { limits: LIMITS }).finally(() => {
      isOver = true
    })
    await swapping
    const told = outcome.observations.filter(observation => !/^(inside!*$|edited a\.txt$|error: )/.test(observation))
    expect(told).toEqual([])
    expect(seen.get('the file')).toBeGreaterThan(0)
    expect(seen.get('an error')).toBeGreaterThan(0)
    expect(outcome.receipts.size).toBe(seen.get('an edit') ?? 0)
  })
})

/** Puts a link to the secret in the place of `a.txt`, in one step. */
async function replaceByLink({ root }: Arena): Promise<void> {
  await fs.symlink('../outside/secret.txt', join(root, 'next'))
  await fs.rename(join(root, 'next'), join(root, 'a.txt'))
}

/** Puts a link and a file in the place of `a.txt`, in turns of different lengths, until it is over. */
async function takeTurns(arena: Arena, isOver: () => boolean): Promise<void> {
  for (let turn = 0; !isOver(); turn += 1) {
    await replaceByLink(arena)
    await letPass(turn % 3)
    await fs.writeFile(join(arena.root, 'next'), 'inside')
    await fs.rename(join(arena.root, 'next'), join(arena.root, 'a.txt'))
    await letPass(turn % 7)
  }
}

async function letPass(rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) await new Promise(resolve => setImmediate(resolve))
}

/** Replaces the `open` of `node:fs/promises` for everybody until the test is over. */
function patchOpen(replacement: typeof fs.open): void {
  const { open } = fs
  const put = (opened: typeof fs.open): void => {
    Object.assign(fs, { open: opened })
    syncBuiltinESMExports()
  }
  put(replacement)
  onTestFinished(() => put(open))
}
