import { type ConfirmTool, ReceiptStore, runAgent, ScriptedModel, Workspace } from 'safepoint'
import { describe, expect, test, vi } from 'vitest'
import { rejectionOf } from '../helpers/scripts.js'
import { createRevokedProxy, createThrowingProxy } from '../helpers/values.js'
import { createArena, editing, FINAL, meet, reading, readTree, running, writing } from './arena.js'

const COMMAND = ['touch', 'owned-by-command']
/** Each kind of effect, with the read that the edit needs. */
const EFFECTS = [writing('owned.txt'), reading('a.txt'), editing('a.txt', 'inside', 'owned'), running(...COMMAND)]
const POLICY = { allowWrites: true, allowedCommands: [COMMAND] }
const THEN = 'thenable'.slice(0, 4)
const NEVER = new Promise<never>(() => undefined)

function thrower(thrown: unknown): () => never {
  return () => {
    throw thrown
  }
}

/** An object that can be awaited and is no promise. */
function createThenable(then: (resolve: (value: unknown) => void) => void): object {
  return Object.fromEntries([[THEN, then]])
}

const denials: readonly (readonly [kind: string, confirmTool: () => unknown])[] = [
  ['false', () => false],
  ['nothing', () => undefined],
  ['null', () => null],
  ['1', () => 1],
  ['NaN', () => Number.NaN],
  ['a bigint', () => 1n],
  ['"yes"', () => 'yes'],
  ['"true"', () => 'true'],
  ['a symbol', () => Symbol('true')],
  ['an empty object', () => ({})],
  ['an empty array', () => []],
  ['an array of true', () => [true]],
  ['a boxed true', () => Object(true)],
  ['a function that answers true', () => () => true],
  ['approved: 1', () => ({ approved: 1 })],
  ['approved: "true"', () => ({ approved: 'true' })],
  ['approved: a boxed true', () => ({ approved: Object(true) })],
  ['approved: a promise of true', () => ({ approved: Promise.resolve(true) })],
  ['Approved: true', () => ({ Approved: true })],
  ['ok: true', () => ({ ok: true })],
  ['a map of approved', () => new Map([['approved', true]])],
  ['JSON of approved', () => '{"approved":true}'],
  ['a promise of 1', async () => 1],
  ['a promise of nothing', async () => undefined],
  ['a promise of approved: 1', async () => ({ approved: 1 })],
  ['a thenable of 1', () => createThenable(resolve => resolve(1))],
  ['a thenable that throws', () => createThenable(thrower(new Error('no')))],
  ['a getter that throws', () => Object.defineProperty({}, 'approved', { get: thrower(new Error('no')) })],
  ['a proxy that throws', () => createThrowingProxy({}, new Error('no'))],
  ['a revoked proxy', () => createRevokedProxy()],
  ['a throw', thrower(new Error('no terminal'))],
  ['a throw of true', thrower(true)],
  ['a throw of nothing', thrower(undefined)],
  ['a rejection', async () => Promise.reject(new Error('no terminal'))],
  ['a rejection with approved: true', async () => Promise.reject({ approved: true })],
  ['a denial with a reason', () => ({ approved: false, reason: 'not this one' })],
]

describe('an approval', () => {
  test.each(denials)('that is %s approves nothing', async (_, answer) => {
    const arena = await createArena()
    const before = readTree(arena.root)
    const confirmTool = vi.fn(answer as ConfirmTool)
    const { observations, receipts, inside } = await meet(arena, EFFECTS, { policy: POLICY, confirmTool })
    const denied = expect.stringMatching(/^error: operator denied the tool action/) as unknown
    expect(observations).toEqual([denied, 'inside', denied, denied])
    expect(confirmTool).toHaveBeenCalledTimes(3)
    expect(receipts.size).toBe(0)
    expect(inside).toEqual(before)
  })

  test.each([
    ['true', () => true],
    ['approved: true', () => ({ approved: true })],
    ['a promise of true', async () => true],
  ] as readonly [string, ConfirmTool][])('that is %s approves each effect', async (_, answer) => {
    const arena = await createArena()
    const { receipts, inside } = await meet(arena, EFFECTS, { policy: POLICY, confirmTool: answer })
    expect(receipts.size).toBe(3)
    expect(inside).toMatchObject({ 'a.txt': 'owned', 'owned.txt': 'owned', 'owned-by-command': '' })
  })

  test('cannot change the action that it was asked about', async () => {
    const arena = await createArena()
    const confirmTool: ConfirmTool = action => {
      for (const value of [action, action.arguments, Object.values(action.arguments).at(-1)]) {
        if (typeof value === 'object') Reflect.set(value, 'path' in value ? 'path' : 0, 'changed')
      }
      return true
    }
    const { inside } = await meet(arena, EFFECTS, { policy: POLICY, confirmTool })
    expect(Object.keys(inside).sort()).toEqual(['a.txt', 'owned-by-command', 'owned.txt', 'src', 'src/b.txt'])
  })
})

describe.each([
  ['a write', [EFFECTS[0]]],
  ['an edit', [EFFECTS[1], EFFECTS[2]]],
  ['a command', [EFFECTS[3]]],
] as readonly [string, readonly string[]][])('an abort while the operator is asked about %s', (_kind, responses) => {
  /** Starts a run that is aborted while its operator is asked. */
  async function abortWhileAsked(answer: () => unknown) {
    const arena = await createArena()
    const before = readTree(arena.root)
    const controller = new AbortController()
    const reason = new Error('enough')
    const receipts = ReceiptStore.inMemory()
    const confirmTool = vi.fn(() => {
      queueMicrotask(() => controller.abort(reason))
      return answer()
    })
    const workspace = new Workspace(
      { ...POLICY, root: arena.root },
      { confirmTool: confirmTool as unknown as ConfirmTool, receipts },
    )
    const model = new ScriptedModel([...responses, JSON.stringify({ final: FINAL })])
    const run = runAgent('Try it.', model, workspace, { signal: controller.signal })
    return { arena, before, reason, receipts, confirmTool, workspace, fault: await rejectionOf(run) }
  }

  test('ends the run though no answer ever comes, and the workspace takes the next call', async () => {
    const { arena, before, reason, receipts, confirmTool, workspace, fault } = await abortWhileAsked(() => NEVER)
    expect(fault).toBe(reason)
    expect(confirmTool).toHaveBeenCalledTimes(1)
    expect(await workspace.readFile('src/b.txt')).toBe('inside')
    expect(readTree(arena.root)).toEqual(before)
    expect(receipts.size).toBe(0)
  })

  test.each([
    ['true', true],
    ['approved: true', { approved: true }],
  ])('leaves an answer that comes after it without effect: %s', async (_, late) => {
    let answer: (value: unknown) => void = () => undefined
    const pending = new Promise<unknown>(resolve => {
      answer = resolve
    })
    const { arena, before, reason, receipts, workspace, fault } = await abortWhileAsked(() => pending)
    expect(fault).toBe(reason)
    answer(late)
    await pending
    // The workspace takes calls one after another: once this one is answered, the one before it is over.
    expect(await workspace.readFile('src/b.txt')).toBe('inside')
    expect(readTree(arena.root)).toEqual(before)
    expect(receipts.size).toBe(0)
  })
})
