import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ConfirmTool } from 'safepoint'
import { describe, expect, it } from 'vitest'
import { createRevokedProxy, createThrowingProxy, findUnfrozen } from '../helpers/values.js'
import { editAction, listAction, namesIn, readAction, runAction, setUp, writeAction } from './setup.js'

const DENIED = 'error: operator denied the tool action'

describe('an approval', () => {
  it.each([
    ['true', () => true],
    ['a promise of true', () => Promise.resolve(true)],
    ['approved: true', () => ({ approved: true })],
    ['a promise of approved: true', async () => ({ approved: true })],
  ] as [string, ConfirmTool][])('is given by %s', async (_, confirmTool) => {
    const { workspace, asked } = await setUp({ confirmTool })
    expect(await workspace.execute(writeAction('a.txt', '1'))).toBe('wrote a.txt')
    expect(asked).toHaveLength(1)
  })

  it.each([
    ['false', () => false],
    ['nothing', () => undefined],
    ['null', () => null],
    ['1', () => 1],
    ['a text', () => 'yes'],
    ['an object', () => ({})],
    ['an array', () => [true]],
    ['approved: 1', () => ({ approved: 1 })],
    ['approved: "true"', () => ({ approved: 'true' })],
    ['a boxed true', () => Object(true)],
    ['a promise of false', async () => false],
    ['a promise of a promise of 1', () => Promise.resolve(Promise.resolve(1))],
    ['a function', () => () => true],
    ['a denial without a reason', () => ({ approved: false })],
    ['a denial with a blank reason', () => ({ approved: false, reason: ' ' })],
    ['a denial with a reason that is no text', () => ({ approved: false, reason: 7 })],
  ])('is not given by %s', async (_, confirmTool) => {
    const { workspace, root, asked, receipts } = await setUp({ confirmTool: confirmTool as ConfirmTool })
    expect(await workspace.execute(writeAction('a.txt', '1'))).toBe(DENIED)
    expect(asked).toHaveLength(1)
    expect(await namesIn(root)).toEqual([])
    expect(receipts.size).toBe(0)
    expect(workspace.modifiedFiles).toEqual([])
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('no terminal')
      },
      `${DENIED}: the approval failed: no terminal`,
    ],
    [
      'throws something that is no error',
      () => {
        throw undefined
      },
      `${DENIED}: the approval failed: undefined`,
    ],
    ['rejects', () => Promise.reject(new Error('gone')), `${DENIED}: the approval failed: gone`],
    [
      'answers a proxy that throws',
      () => createThrowingProxy({}, new Error('trap')),
      `${DENIED}: the approval failed: trap`,
    ],
    [
      'answers a getter that throws',
      () => ({
        get approved() {
          throw new Error('trap')
        },
      }),
      DENIED,
    ],
  ] as unknown as [string, ConfirmTool, string][])(
    'is not given by a confirmTool that %s',
    async (_, confirmTool, text) => {
      const { workspace, root, asked } = await setUp({ confirmTool })
      expect(await workspace.execute(writeAction('a.txt', '1'))).toBe(text)
      expect(asked).toHaveLength(1)
      expect(await namesIn(root)).toEqual([])
    },
  )

  it('is not given by a revoked proxy', async () => {
    const { workspace } = await setUp({ confirmTool: (() => createRevokedProxy()) as unknown as ConfirmTool })
    expect(await workspace.execute(writeAction('a.txt', '1'))).toMatch(DENIED)
  })

  it('is not given when nobody is there to ask', async () => {
    const { workspace, root } = await setUp({ confirmTool: null, policy: { allowedCommands: [['touch', 'b']] } })
    expect(await workspace.execute(writeAction('a.txt', '1'))).toMatch(DENIED)
    expect(await workspace.execute(runAction('touch', 'b'))).toMatch(DENIED)
    expect(await namesIn(root)).toEqual([])
  })

  it('that is denied shows its reason to the model', async () => {
    const { workspace } = await setUp({ confirmTool: () => ({ approved: false, reason: 'wrong file; see NOTES' }) })
    expect(await workspace.execute(writeAction('a.txt', '1'))).toBe(`${DENIED}: wrong file; see NOTES`)
  })

  it('that is denied shows a reason that is half a character in a form that can be written', async () => {
    const { workspace } = await setUp({ confirmTool: () => ({ approved: false, reason: 'no \ud83d' }) })
    expect(await workspace.execute(writeAction('a.txt', '1'))).toBe(`${DENIED}: no \ufffd`)
  })

  it('is asked for with the action itself, frozen through and through', async () => {
    const argv = ['printf', 'hi']
    const { workspace, asked } = await setUp({ policy: { allowedCommands: [argv] } })
    await workspace.execute(runAction(...argv))
    await workspace.execute(writeAction('./a.txt', '1'))
    expect(asked).toEqual([runAction(...argv), writeAction('./a.txt', '1')])
    expect(findUnfrozen(asked.map(action => Object.freeze([action])))).toEqual(['value'])
  })

  it('is not asked for reading, nor for what is refused anyway', async () => {
    const { workspace, asked } = await setUp({ files: { 'a.txt': '1' } })
    await workspace.execute(listAction())
    await workspace.execute(editAction('a.txt', '1', '2'))
    await workspace.execute(readAction('a.txt'))
    await workspace.execute(editAction('a.txt', '3', '2'))
    await workspace.execute(writeAction('.env', ''))
    await workspace.execute(runAction('true'))
    expect(asked).toEqual([])
  })

  it('comes before anything is touched', async () => {
    const setting = await setUp({
      files: { 'a.txt': '1' },
      confirmTool: async () => {
        expect(await namesIn(setting.root)).toEqual(['a.txt'])
        return (await readFile(join(setting.root, 'a.txt'), 'utf8')) === '1'
      },
    })
    await setting.workspace.readFile('a.txt')
    expect(await setting.workspace.execute(editAction('a.txt', '1', '2'))).toBe('edited a.txt')
  })
})
