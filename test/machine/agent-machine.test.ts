import { type AgentMachineInput, type AgentRun, agentMachine, runToCheckpoint } from 'safepoint'
import { describe, expect, test, vi } from 'vitest'
import { createActor, toPromise } from 'xstate'

import { RecordingModel, RecordingWorkspace } from '../helpers/recording.js'
import { finish, listRoot, readReadme, rejectionOf } from '../helpers/scripts.js'

const inputOf = (script: readonly string[], more: Partial<AgentMachineInput> = {}): AgentMachineInput => ({
  task: 'inspect',
  model: new RecordingModel(script),
  workspace: new RecordingWorkspace(),
  ...more,
})

const maybeCheckpoint = agentMachine.root.states.maybeCheckpoint as (typeof agentMachine)['root']

describe('the machine', () => {
  test('has exactly the five top-level states', () => {
    expect(Object.keys(agentMachine.states)).toEqual([
      'awaitModel',
      'executeTool',
      'appendObservation',
      'maybeCheckpoint',
      'done',
    ])
  })

  test('has no invoke and no timer in the states that are tagged boundary', () => {
    const tagged = Object.values(maybeCheckpoint.states).filter(state => state.tags.includes('boundary'))
    expect(tagged.map(state => state.key)).toEqual(['boundary', 'restored'])
    for (const state of tagged) {
      expect(state.invoke).toEqual([])
      expect(state.after).toEqual([])
    }
    expect(maybeCheckpoint.invoke).toEqual([])
    expect(maybeCheckpoint.after).toEqual([])
  })

  test('describes every state', () => {
    const nodes = [...Object.values(agentMachine.states), ...Object.values(maybeCheckpoint.states)]
    expect(nodes.filter(node => !node.description).map(node => node.key)).toEqual([])
  })
})

describe('used on its own', () => {
  test('it runs to the finished run', async () => {
    const run = await toPromise(createActor(agentMachine, { input: inputOf([listRoot, finish]) }).start())
    expect(run).toMatchObject({ reason: 'completed', final: 'done' })
    expect((run as AgentRun).events).toHaveLength(2)
  })

  test('it runs to the checkpoint', async () => {
    const input = inputOf([listRoot, readReadme, finish], { afterToolCalls: 2 })
    const output = await toPromise(createActor(agentMachine, { input }).start())
    const options = { afterToolCalls: 2 }
    const model = new RecordingModel([listRoot, readReadme, finish])
    expect(output).toEqual(await runToCheckpoint('inspect', model, new RecordingWorkspace(), options))
  })

  test('it emits each interaction', async () => {
    const actor = createActor(agentMachine, { input: inputOf([listRoot, 'no', finish]) })
    const steps: number[] = []
    actor.on('interaction', ({ interaction }) => steps.push(interaction.step))
    await toPromise(actor.start())
    expect(steps).toEqual([1, 2, 3])
  })

  test('input that cannot be run puts it into status error', async () => {
    const actor = createActor(agentMachine, { input: inputOf([finish], { task: ' ' }) })
    const failed = new Promise(resolve => actor.subscribe({ error: resolve }))
    actor.start()
    expect(await failed).toMatchObject({ name: 'AgentError', code: 'invalid_task' })
    expect(actor.getSnapshot().status).toBe('error')
  })

  test('an aborted signal puts it into status error with its reason', async () => {
    const controller = new AbortController()
    const model = { generate: () => new Promise<string>(() => undefined) }
    const actor = createActor(agentMachine, { input: inputOf([], { model, signal: controller.signal }) })
    const ended = rejectionOf(toPromise(actor.start()))
    controller.abort('enough')
    expect(await ended).toBe('enough')
  })

  test.for(['execute', 'saveCheckpoint'])('an aborted signal ends it while %s never settles', async method => {
    const controller = new AbortController()
    const never = (): Promise<never> => {
      queueMicrotask(() => controller.abort('enough'))
      return new Promise(() => undefined)
    }
    const input = inputOf([listRoot, finish], { signal: controller.signal, afterToolCalls: 1 })
    Object.assign(method === 'execute' ? input.workspace : input.model, { [method]: never })
    expect(await rejectionOf(toPromise(createActor(agentMachine, { input }).start()))).toBe('enough')
  })

  test('stopping it reaches the model through its signal', async () => {
    let signal: AbortSignal | undefined
    const model = {
      generate: (_: unknown, given: AbortSignal) => {
        signal = given
        return new Promise<string>(() => undefined)
      },
    }
    const actor = createActor(agentMachine, { input: inputOf([], { model }) }).start()
    await vi.waitUntil(() => signal !== undefined)
    expect(signal?.aborted).toBe(false)
    actor.stop()
    expect(signal?.aborted).toBe(true)
  })

  test('a running machine ignores resume', async () => {
    const input = inputOf([listRoot, finish])
    const actor = createActor(agentMachine, { input }).start()
    actor.send({ type: 'resume' })
    const run = await toPromise(actor)
    expect((run as AgentRun).events).toHaveLength(2)
  })
})
