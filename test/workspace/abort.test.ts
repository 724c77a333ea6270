import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AgentError, type Approval } from 'safepoint'
import { describe, expect, it, vi } from 'vitest'
import { namesIn, readAction, setUp, writeAction } from './setup.js'

/** A signal that is aborted already. */
function aborted(reason: unknown): AbortSignal {
  return AbortSignal.abort(reason)
}

/** An approval that is answered by hand. */
function createPendingApproval() {
  let answer: (approval: Approval) => void = () => undefined
  const confirmTool = vi.fn(
    () =>
      new Promise<Approval>(resolve => {
        answer = resolve
      }),
  )
  return { confirmTool, answer: (approval: Approval) => answer(approval) }
}

describe('an abort', () => {
  it.each([
    ['an error', new Error('stop')],
    ['a text', 'stop'],
    ['nothing at all', null],
    ['an AgentError, which is no observation here', new AgentError('stale_file', 'stop')],
  ])('before everything rejects with its reason: %s', async (_, reason) => {
    const { workspace, root, asked } = await setUp()
    await expect(workspace.execute(writeAction('a.txt', '1'), aborted(reason))).rejects.toBe(reason)
    await expect(workspace.execute(null as never, aborted(reason))).rejects.toBe(reason)
    expect(asked).toEqual([])
    expect(await namesIn(root)).toEqual([])
  })

  it('does not wait for an approval that never comes, and lets the next call in', async () => {
    const { confirmTool } = createPendingApproval()
    const { workspace } = await setUp({ files: { 'a.txt': 'a' }, confirmTool })
    const controller = new AbortController()
    const reason = new AgentError('approval_denied', 'stop')
    const waiting = workspace.execute(writeAction('b.txt', '1'), controller.signal)
    await vi.waitFor(() => expect(confirmTool).toHaveBeenCalled())
    controller.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    expect(await workspace.execute(readAction('a.txt'))).toBe('a')
  })

  it('makes an approval that comes late, or fails late, have no effect', async () => {
    const fail = (): Promise<never> => Promise.reject(new Error('late'))
    for (const answerLate of [() => true, fail]) {
      const { confirmTool, answer } = createPendingApproval()
      const { workspace, root, receipts } = await setUp({ confirmTool })
      const controller = new AbortController()
      const waiting = workspace.execute(writeAction('b.txt', '1'), controller.signal)
      await vi.waitFor(() => expect(confirmTool).toHaveBeenCalled())
      controller.abort()
      answer(answerLate() as Approval)
      await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
      expect(await workspace.listFiles()).toBe('(empty directory)')
      expect(await namesIn(root)).toEqual([])
      expect(receipts.size).toBe(0)
    }
  })

  it.each([true, false])('from inside the approval beats the approval: %s', async approval => {
    const controller = new AbortController()
    const reason = new Error('stop')
    const setting = await setUp({
      confirmTool: () => {
        controller.abort(reason)
        return approval
      },
    })
    await expect(setting.workspace.execute(writeAction('a.txt', '1'), controller.signal)).rejects.toBe(reason)
    expect(await namesIn(setting.root)).toEqual([])
  })

  it('takes a waiting call out of the queue at once, and starts nothing of it', async () => {
    const { confirmTool, answer } = createPendingApproval()
    const { workspace, root } = await setUp({ confirmTool })
    const first = workspace.execute(writeAction('first', '1'))
    const controller = new AbortController()
    const second = workspace.execute(writeAction('second', '2'), controller.signal)
    const third = workspace.execute(writeAction('first', '3'))
    await vi.waitFor(() => expect(confirmTool).toHaveBeenCalled())
    controller.abort('stop')
    await expect(second).rejects.toBe('stop')
    expect(confirmTool).toHaveBeenCalledTimes(1)
    answer(true)
    expect(await first).toBe('wrote first')
    await vi.waitFor(() => expect(confirmTool).toHaveBeenCalledTimes(2))
    answer(true)
    expect(await third).toBe('wrote first')
    expect(await namesIn(root)).toEqual(['first'])
    expect(await readFile(join(root, 'first'), 'utf8')).toBe('3')
  })

  it('lets a write that is under way be completed and recorded', async () => {
    const controller = new AbortController()
    const { workspace, root, receipts } = await setUp()
    const put = receipts.put.bind(receipts)
    vi.spyOn(receipts, 'put').mockImplementation(receipt => {
      controller.abort()
      return put(receipt)
    })
    expect(await workspace.execute(writeAction('a.txt', '1'), controller.signal)).toBe('wrote a.txt')
    expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('1')
    expect(receipts.get('call-1')?.result).toBe('wrote a.txt')
  })

  it('leaves no listener on a signal that is never aborted', async () => {
    const { workspace } = await setUp()
    const { signal } = new AbortController()
    const added = vi.spyOn(signal, 'addEventListener')
    const removed = vi.spyOn(signal, 'removeEventListener')
    await workspace.execute(writeAction('a.txt', '1'), signal)
    await workspace.execute(readAction('a.txt'), signal)
    expect(added.mock.calls.length).toBeGreaterThan(0)
    expect(removed.mock.calls.map(call => call[1])).toEqual(added.mock.calls.map(call => call[1]))
  })
})
