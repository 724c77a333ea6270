import { AgentError, type AgentEvent, runAgent, runToCheckpoint } from 'safepoint'
import { afterEach, describe, expect, test, vi } from 'vitest'

import { RecordingModel, RecordingWorkspace } from '../helpers/recording.js'
import { finish, listRoot, readReadme, rejectionOf } from '../helpers/scripts.js'

afterEach(() => {
  vi.restoreAllMocks()
})

describe('onEvent', () => {
  test('is called once for each decision, right after it is recorded and before the next model call', async () => {
    const order: string[] = []
    const script = [listRoot, 'no', readReadme, finish]
    const generate = (): string => {
      order.push('model')
      return script.shift() as string
    }
    const onEvent = (event: AgentEvent): unknown => order.push(`event ${event.step}`)
    await runAgent('inspect', { generate }, new RecordingWorkspace(), { onEvent })
    expect(order).toEqual(['model', 'event 1', 'model', 'event 2', 'model', 'event 3', 'model', 'event 4'])
  })

  test.for<unknown>([new Error('boom'), 'a string', undefined, null])('that throws %s ends the run', async thrown => {
    const model = new RecordingModel([listRoot, readReadme, finish])
    const workspace = new RecordingWorkspace()
    const seen: number[] = []
    const onEvent = (event: AgentEvent): void => {
      seen.push(event.step)
      throw thrown
    }
    const error = await rejectionOf(runAgent('inspect', model, workspace, { onEvent }))
    expect(error).toMatchObject({ name: 'AgentError', code: 'listener_failed' })
    expect(error).toBeInstanceOf(AgentError)
    expect((error as AgentError).cause).toBe(thrown)
    expect([seen, model.inputs.length, workspace.actions.length]).toEqual([[1], 1, 1])
  })

  test('that throws at the last event ends the run with its failure', async () => {
    const onEvent = (): void => {
      throw new Error('boom')
    }
    const run = runAgent('inspect', new RecordingModel([finish]), new RecordingWorkspace(), { onEvent })
    expect(await rejectionOf(run)).toMatchObject({ code: 'listener_failed' })
  })

  test('that throws before the boundary leaves no checkpoint and saves nothing', async () => {
    const saveCheckpoint = vi.fn()
    const model = Object.assign(new RecordingModel([readReadme]), { saveCheckpoint })
    const onEvent = (): void => {
      throw new Error('boom')
    }
    const stop = runToCheckpoint('inspect', model, new RecordingWorkspace(), { onEvent })
    expect(await rejectionOf(stop)).toMatchObject({ code: 'listener_failed' })
    expect(saveCheckpoint).not.toHaveBeenCalled()
  })

  test.for([1, 2, 3])('whose promise rejects at event %i is treated as a throw', async step => {
    const thrown = new Error('boom')
    const onEvent = async (event: AgentEvent): Promise<void> => {
      if (event.step === step) throw thrown
    }
    const model = new RecordingModel([listRoot, readReadme, finish])
    const error = await rejectionOf(runAgent('inspect', model, new RecordingWorkspace(), { onEvent }))
    expect(error).toMatchObject({ code: 'listener_failed' })
    expect((error as AgentError).cause).toBe(thrown)
  })

  test('whose promise rejects when the run is over leaves an unhandled rejection, and the run as it was', async () => {
    const thrown = new Error('too late')
    let reject: (reason: unknown) => void = () => undefined
    const onEvent = (): Promise<void> => new Promise((_, onReject) => (reject = onReject))
    const unhandled = new Promise(resolve => {
      const others = process.listeners('unhandledRejection')
      process.removeAllListeners('unhandledRejection')
      process.once('unhandledRejection', reason => {
        for (const other of others) process.on('unhandledRejection', other)
        resolve(reason)
      })
    })
    const run = await runAgent('inspect', new RecordingModel([finish]), new RecordingWorkspace(), { onEvent })
    reject(thrown)
    expect(run.reason).toBe('completed')
    expect(await unhandled).toMatchObject({ code: 'listener_failed', cause: thrown })
  })

  test('is not awaited: a promise that never settles does not hold the run', async () => {
    const onEvent = (): Promise<void> => new Promise(() => undefined)
    const model = new RecordingModel([listRoot, finish])
    const run = await runAgent('inspect', model, new RecordingWorkspace(), { onEvent })
    expect(run.reason).toBe('completed')
  })

  test('may return anything that is no promise', async () => {
    const onEvent = (): unknown => ({ settled: false })
    const run = await runAgent('inspect', new RecordingModel([finish]), new RecordingWorkspace(), { onEvent })
    expect(run.reason).toBe('completed')
  })
})

describe('inspect', () => {
  test('sees each microstep of the root machine, the boundary included', async () => {
    const states: unknown[] = []
    await runToCheckpoint('inspect', new RecordingModel([readReadme]), new RecordingWorkspace(), {
      inspect: event => {
        if (event.type === '@xstate.microstep' && 'value' in event.snapshot) states.push(event.snapshot.value)
      },
    })
    expect(states).toEqual([
      'executeTool',
      'appendObservation',
      { maybeCheckpoint: 'boundary' },
      { maybeCheckpoint: 'saving' },
      'done',
    ])
  })

  test.for<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('broken inspector')
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken inspector'))],
  ])('that %s is reported once and the run is not affected', async ([, fail]) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    const script = [listRoot, readReadme, finish]
    const plain = await runAgent('inspect', new RecordingModel(script), new RecordingWorkspace())
    const inspected = await runAgent('inspect', new RecordingModel(script), new RecordingWorkspace(), {
      inspect: fail,
    })
    expect(inspected).toEqual(plain)
    expect(warn).toHaveBeenCalledTimes(1)
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('broken inspector'))
  })

  test('that answers nothing, or anything but a promise, is not reported', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    for (const answer of [undefined, null, 7, { catch: 'no function' }]) {
      const inspect = (() => answer) as () => void
      await runAgent('inspect', new RecordingModel([finish]), new RecordingWorkspace(), { inspect })
    }
    await runAgent('inspect', new RecordingModel([finish]), new RecordingWorkspace(), { inspect: {} })
    expect(warn).not.toHaveBeenCalled()
  })

  test('may be an observer', async () => {
    const next = vi.fn()
    await runAgent('inspect', new RecordingModel([finish]), new RecordingWorkspace(), { inspect: { next } })
    expect(next.mock.calls.length).toBeGreaterThan(3)
  })

  test('an observer that throws in next is reported like a function', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    const next = (): void => {
      throw new Error('broken observer')
    }
    const run = await runAgent('inspect', new RecordingModel([finish]), new RecordingWorkspace(), { inspect: { next } })
    expect(run.reason).toBe('completed')
    expect(warn).toHaveBeenCalledTimes(1)
  })

  test('cannot give the run a tool that its workspace does not have', async () => {
    const script = ['{"tool":"write_file","path":"a","content":"x"}', finish]
    const workspace = new RecordingWorkspace()
    const attempts: unknown[] = []
    await runAgent('inspect', new RecordingModel(script), workspace, {
      inspect: event => {
        const { context } = ((event as { snapshot?: unknown }).snapshot ?? {}) as { context?: { tools: string[] } }
        if (context === undefined) return
        attempts.push(Object.isFrozen(context.tools))
        context.tools.push('write_file')
      },
    }).catch(() => undefined)
    expect(attempts).toContain(true)
    expect(workspace.actions).toEqual([])
  })

  test.for<[string, (actor: { stop(): void; send(event: unknown): void }) => void]>([
    ['stops the actor', actor => actor.stop()],
    ['sends it an error', actor => actor.send({ type: 'xstate.error.actor.foo', error: 1 })],
  ])('that %s ends the run with an AgentError', async ([, interfere]) => {
    let hasInterfered = false
    const run = runAgent('inspect', new RecordingModel([listRoot, finish]), new RecordingWorkspace(), {
      inspect: event => {
        if (hasInterfered || event.type !== '@xstate.microstep' || event.actorRef.sessionId !== event.rootId) return
        hasInterfered = true
        const actor = event.actorRef as unknown as Parameters<typeof interfere>[0]
        queueMicrotask(() => interfere(actor))
      },
    })
    expect(await rejectionOf(run)).toMatchObject({ name: 'AgentError', code: 'run_stopped' })
  })
})
