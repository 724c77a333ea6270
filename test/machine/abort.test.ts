import {
  type AgentCheckpoint,
  type AgentWorkspace,
  type CheckpointableModel,
  resumeAgent,
  resumeToCheckpoint,
  runAgent,
  runToCheckpoint,
} from 'safepoint'
import { describe, expect, test, vi } from 'vitest'

import { RecordingModel, RecordingWorkspace } from '../helpers/recording.js'
import { finish, listRoot, readReadme, rejectionOf } from '../helpers/scripts.js'

const script = [listRoot, readReadme, finish]
const saved = (): Promise<AgentCheckpoint> =>
  runToCheckpoint('inspect', new RecordingModel(script), new RecordingWorkspace())

/** Replaces a method by one that aborts `controller` and never settles. */
function hang<T extends CheckpointableModel | AgentWorkspace>(target: T, method: string, abort: () => void): T {
  return Object.assign(target, {
    [method]: () => {
      queueMicrotask(abort)
      return new Promise(() => undefined)
    },
  })
}

describe('an abort', () => {
  test.for<unknown>([new Error('stop'), 'stop', 7, null])('rejects with its reason as it is: %s', async reason => {
    const controller = new AbortController()
    const model = hang(new RecordingModel(script), 'generate', () => controller.abort(reason))
    const { signal } = controller
    expect(await rejectionOf(runAgent('inspect', model, new RecordingWorkspace(), { signal }))).toBe(reason)
  })

  test.for(['generate', 'execute', 'saveCheckpoint'])('ends a run whose %s never settles', async method => {
    const controller = new AbortController()
    const reason = new Error('enough')
    const model = new RecordingModel(script)
    const workspace = new RecordingWorkspace()
    hang(method === 'execute' ? workspace : model, method, () => controller.abort(reason))
    const stop = runToCheckpoint('inspect', model, workspace, { signal: controller.signal })
    expect(await rejectionOf(stop)).toBe(reason)
  })

  test.for(['restoreCheckpoint', 'generate', 'execute'])('ends a resume whose %s never settles', async method => {
    const checkpoint = await saved()
    const controller = new AbortController()
    const reason = new Error('enough')
    const model = new RecordingModel(script)
    const workspace = new RecordingWorkspace()
    hang(method === 'execute' ? workspace : model, method, () => controller.abort(reason))
    const resumed = resumeAgent(checkpoint, model, workspace, { signal: controller.signal })
    expect(await rejectionOf(resumed)).toBe(reason)
    if (method === 'restoreCheckpoint') expect(model.inputs).toHaveLength(0)
  })

  test('reaches the model through the signal that it was given, with the same reason', async () => {
    const controller = new AbortController()
    const reason = new Error('enough')
    let seen: unknown
    const model = {
      generate: (_: unknown, signal: AbortSignal) => {
        signal.addEventListener('abort', () => {
          seen = signal.reason
        })
        queueMicrotask(() => controller.abort(reason))
        return new Promise<string>(() => undefined)
      },
    }
    await rejectionOf(runAgent('inspect', model, new RecordingWorkspace(), { signal: controller.signal }))
    expect(seen).toBe(reason)
  })

  test('a late answer changes nothing: no event, no tool', async () => {
    const controller = new AbortController()
    let answer: (response: string) => void = () => undefined
    const model = {
      generate: () => {
        queueMicrotask(() => controller.abort('enough'))
        return new Promise<string>(resolve => {
          answer = resolve
        })
      },
    }
    const workspace = new RecordingWorkspace()
    const events: unknown[] = []
    const { signal } = controller
    const run = runAgent('inspect', model, workspace, { signal, onEvent: event => events.push(event) })
    await rejectionOf(run)
    answer(listRoot)
    await new Promise(resolve => setImmediate(resolve))
    expect(events).toHaveLength(0)
    expect(workspace.actions).toHaveLength(0)
  })

  test('a late failure is not an unhandled rejection', async () => {
    const controller = new AbortController()
    let fail: (reason: Error) => void = () => undefined
    const model = {
      generate: () => {
        queueMicrotask(() => controller.abort('enough'))
        return new Promise<string>((_, reject) => {
          fail = reject
        })
      },
    }
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    await rejectionOf(runAgent('inspect', model, new RecordingWorkspace(), { signal: controller.signal }))
    fail(new Error('too late'))
    await new Promise(resolve => setImmediate(resolve))
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })

  test('between two calls starts nothing further', async () => {
    const controller = new AbortController()
    const model = new RecordingModel(script)
    const workspace = new RecordingWorkspace()
    const options = { signal: controller.signal, onEvent: () => controller.abort('enough') }
    expect(await rejectionOf(runAgent('inspect', model, workspace, options))).toBe('enough')
    expect([model.inputs.length, workspace.actions.length]).toEqual([1, 1])
  })

  test('in the listener of the last event still rejects', async () => {
    const controller = new AbortController()
    const options = { signal: controller.signal, onEvent: () => controller.abort('enough') }
    const run = runAgent('inspect', new RecordingModel([finish]), new RecordingWorkspace(), options)
    expect(await rejectionOf(run)).toBe('enough')
  })

  test('after the end changes nothing', async () => {
    const controller = new AbortController()
    const { signal } = controller
    const run = await runAgent('inspect', new RecordingModel([finish]), new RecordingWorkspace(), { signal })
    controller.abort('late')
    expect(run.reason).toBe('completed')
  })
})

describe('a run that never waits', () => {
  test('lets timers have their turn, so that a timeout aborts it', async () => {
    let calls = 0
    const generate = (): string => {
      calls += 1
      return `{"tool":"read_file","path":"${calls}"}`
    }
    const limits = { maxSteps: 1_000_000, maxContextChars: Number.MAX_SAFE_INTEGER }
    const options = { limits, signal: AbortSignal.timeout(20) }
    const reason = await rejectionOf(runAgent('inspect', { generate }, new RecordingWorkspace(), options))
    expect(reason).toMatchObject({ name: 'TimeoutError' })
  })
})

describe('an abort while a run is being made', () => {
  test.for<[string, (abort: () => void) => { workspace: AgentWorkspace; inspect?: () => void }]>([
    ['by the inspector', abort => ({ workspace: new RecordingWorkspace(), inspect: abort })],
    [
      'by what the workspace does when it is read',
      abort => {
        const workspace = new RecordingWorkspace()
        const { availableTools } = workspace
        const get = (): typeof availableTools => {
          abort()
          return availableTools
        }
        return { workspace: Object.defineProperty(workspace, 'availableTools', { get }) }
      },
    ],
  ])('%s rejects, even if the run would have ended by itself', async ([, make]) => {
    const controller = new AbortController()
    const { workspace, inspect } = make(() => controller.abort('enough'))
    const options = { signal: controller.signal, limits: { maxContextChars: 1 }, ...(inspect && { inspect }) }
    expect(await rejectionOf(runAgent('inspect', new RecordingModel(script), workspace, options))).toBe('enough')
  })
})

describe('a signal that is already aborted', () => {
  const signal = AbortSignal.abort('before')

  test.for<[string, () => Promise<unknown>]>([
    ['runAgent', () => runAgent('', null as never, null as never, { signal, limits: { maxSteps: 0 } })],
    ['runToCheckpoint', () => runToCheckpoint('', null as never, null as never, { signal, afterToolCalls: 0 })],
    ['resumeAgent', () => resumeAgent(null as never, null as never, null as never, { signal })],
    ['resumeToCheckpoint', () => resumeToCheckpoint(null as never, null as never, null as never, { signal })],
  ])('comes before every other check of %s', async ([, start]) => {
    expect(await rejectionOf(start())).toBe('before')
  })

  test('calls nothing', async () => {
    const model = new RecordingModel(script)
    const workspace = new RecordingWorkspace()
    await rejectionOf(runAgent('inspect', model, workspace, { signal }))
    expect([model.inputs.length, workspace.actions.length]).toEqual([0, 0])
  })
})

test('a long-lived signal keeps no listener of a run that has ended', async () => {
  const { signal } = new AbortController()
  const listeners = new Set<unknown>()
  const add = signal.addEventListener.bind(signal)
  const remove = signal.removeEventListener.bind(signal)
  Object.assign(signal, {
    addEventListener: (...parameters: Parameters<typeof add>) => {
      listeners.add(parameters[1])
      add(...parameters)
    },
    removeEventListener: (...parameters: Parameters<typeof remove>) => {
      if (parameters[0] === 'abort') listeners.delete(parameters[1])
      remove(...parameters)
    },
  })
  await runAgent('inspect', new RecordingModel(script), new RecordingWorkspace(), { signal })
  await rejectionOf(runAgent('inspect', new RecordingModel([]), new RecordingWorkspace(), { signal }))
  await resumeAgent(await saved(), new RecordingModel(script), new RecordingWorkspace(), { signal })
  expect(listeners.size).toBe(0)
})
