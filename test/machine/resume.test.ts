import {
  type AgentCheckpoint,
  type AgentMachineInput,
  agentMachine,
  RunEndedError,
  resumeAgent,
  resumeToCheckpoint,
  runAgent,
  runToCheckpoint,
  ScriptedModel,
} from 'safepoint'
import { describe, expect, test, vi } from 'vitest'
import { createActor } from 'xstate'

import { RecordingModel, RecordingWorkspace } from '../helpers/recording.js'
import { finish, isDeeplyFrozen, listRoot, readReadme, rejectionOf } from '../helpers/scripts.js'

const script = [listRoot, readReadme, '{"tool":"read_file","path":"b"}', finish]

const stopAfter = (afterToolCalls: number): Promise<AgentCheckpoint> =>
  runToCheckpoint('inspect', new RecordingModel(script), new RecordingWorkspace(), { afterToolCalls })

describe('a resume', () => {
  test('begins with a model call of exactly the saved messages, at the saved response', async () => {
    const checkpoint = await stopAfter(2)
    const model = new RecordingModel(script)
    const run = await resumeAgent(checkpoint, model, new RecordingWorkspace())
    expect(model.inputs[0]?.map(({ role, content }) => [role, content])).toEqual(checkpoint.messages)
    expect(run.events[0]).toMatchObject({ step: 1, response: script[2] })
  })

  test('submits no saved action again', async () => {
    const workspace = new RecordingWorkspace()
    await resumeAgent(await stopAfter(2), new RecordingModel(script), workspace)
    expect(workspace.actions).toEqual([{ kind: 'tool', tool: 'read_file', arguments: { path: 'b' } }])
  })

  test('ends as the uninterrupted run does, from every boundary', async () => {
    const whole = await runAgent('inspect', new RecordingModel(script), new RecordingWorkspace())
    for (const boundary of [1, 2, 3]) {
      const run = await resumeAgent(await stopAfter(boundary), new RecordingModel(script), new RecordingWorkspace())
      expect(run.final).toBe(whole.final)
      expect(run.events.map(event => event.response)).toEqual(script.slice(boundary))
    }
  })

  test('twice from one checkpoint is equal and independent', async () => {
    const checkpoint = await stopAfter(1)
    const runs = await Promise.all(
      [1, 2].map(() => resumeAgent(checkpoint, new RecordingModel(script), new RecordingWorkspace())),
    )
    expect(runs[0]).toEqual(runs[1])
  })

  test('has its budgets anew', async () => {
    const limits = { maxSteps: 2 }
    const model = new RecordingModel(script)
    const checkpoint = await runToCheckpoint('inspect', model, new RecordingWorkspace(), { limits, afterToolCalls: 2 })
    const run = await resumeAgent(checkpoint, new RecordingModel(script), new RecordingWorkspace(), { limits })
    expect(run).toMatchObject({ reason: 'completed', events: [{ step: 1 }, { step: 2 }] })
  })

  test('restores the model once, before its first call, with the saved snapshot', async () => {
    const checkpoint = await stopAfter(1)
    const calls: string[] = []
    const model = new RecordingModel(script)
    const restoreCheckpoint = vi.fn((snapshot: AgentCheckpoint['model']) => {
      calls.push('restore')
      RecordingModel.prototype.restoreCheckpoint.call(model, snapshot)
    })
    const generate = (messages: Parameters<RecordingModel['generate']>[0]): string => {
      calls.push('generate')
      return RecordingModel.prototype.generate.call(model, messages)
    }
    await resumeAgent(checkpoint, Object.assign(model, { restoreCheckpoint, generate }), new RecordingWorkspace())
    expect(calls).toEqual(['restore', 'generate', 'generate', 'generate'])
    expect(restoreCheckpoint.mock.calls).toEqual([[checkpoint.model]])
  })

  test('works on its own copy of the checkpoint', async () => {
    const checkpoint: { messages: unknown[] } = JSON.parse(JSON.stringify(await stopAfter(1)))
    const model = new RecordingModel(script)
    const run = resumeAgent(checkpoint as unknown as AgentCheckpoint, model, new RecordingWorkspace())
    checkpoint.messages.length = 0
    expect((await run).reason).toBe('completed')
    expect(model.inputs[0]).toHaveLength(4)
  })

  test.for<[string, (checkpoint: AgentCheckpoint) => AgentCheckpoint]>([
    ['JSON', checkpoint => JSON.parse(JSON.stringify(checkpoint)) as AgentCheckpoint],
    ['structured clone', checkpoint => structuredClone(checkpoint)],
  ])('goes on from a checkpoint that was carried through %s', async ([, carry]) => {
    const checkpoint = await stopAfter(2)
    const carried = carry(checkpoint)
    expect(carried).toEqual(checkpoint)
    const run = await resumeAgent(carried, new RecordingModel(script), new RecordingWorkspace())
    expect(run.final).toBe('done')
  })

  test('refuses a checkpoint that was changed, before the model is restored', async () => {
    const model = new RecordingModel(script)
    const restoreCheckpoint = vi.spyOn(model, 'restoreCheckpoint')
    const changed = { ...(await stopAfter(1)), task: 'inspect more' }
    const error = await rejectionOf(resumeAgent(changed, model, new RecordingWorkspace()))
    expect(error).toMatchObject({ code: 'invalid_checkpoint' })
    expect(restoreCheckpoint).not.toHaveBeenCalled()
  })

  test('refuses a model that cannot be restored, a limit and a listener out of range, before the restore', async () => {
    const checkpoint = await stopAfter(1)
    const model = new RecordingModel(script)
    const restoreCheckpoint = vi.spyOn(model, 'restoreCheckpoint')
    const workspace = new RecordingWorkspace()
    const unfit = { generate: () => finish } as never
    expect(await rejectionOf(resumeAgent(checkpoint, unfit, workspace))).toMatchObject({ code: 'not_checkpointable' })
    for (const options of [{ limits: { maxSteps: 0 } }, { onEvent: 7 as never }]) {
      const error = await rejectionOf(resumeAgent(checkpoint, model, workspace, options))
      expect(error).toMatchObject({ code: 'invalid_option' })
    }
    expect(restoreCheckpoint).not.toHaveBeenCalled()
  })

  test('shows both prefixes when the model was restored to another conversation', async () => {
    const checkpoint = await stopAfter(1)
    const model = new ScriptedModel(script)
    const restoreCheckpoint = (snapshot: AgentCheckpoint['model']): void =>
      ScriptedModel.prototype.restoreCheckpoint.call(model, { ...snapshot, conversationPosition: 9 })
    const resumed = resumeAgent(checkpoint, Object.assign(model, { restoreCheckpoint }), new RecordingWorkspace())
    expect(await rejectionOf(resumed)).toMatchObject({
      code: 'model_failed',
      cause: { code: 'prefix_mismatch', message: expect.stringMatching(/position 9 .*position 4/) },
    })
  })
})

describe('a resume to the next boundary', () => {
  test('stops again, its tool calls counted from the resume', async () => {
    const first = await stopAfter(1)
    const second = await resumeToCheckpoint(first, new RecordingModel(script), new RecordingWorkspace())
    expect(second).toEqual(await stopAfter(2))
    const third = await resumeToCheckpoint(first, new RecordingModel(script), new RecordingWorkspace(), {
      afterToolCalls: 2,
    })
    expect(third).toEqual(await stopAfter(3))
    expect(isDeeplyFrozen(third)).toBe(true)
    expect(Object.keys(third)).toEqual(['checkpointId', 'task', 'messages', 'model'])
  })

  test('that ends before it is a RunEndedError with the finished run', async () => {
    const resumed = resumeToCheckpoint(await stopAfter(3), new RecordingModel(script), new RecordingWorkspace())
    const error = await rejectionOf(resumed)
    expect(error).toBeInstanceOf(RunEndedError)
    expect(error).toMatchObject({ run: { reason: 'completed', final: 'done' } })
  })

  test('refuses a boundary that is no positive integer, and a model that cannot be saved', async () => {
    const checkpoint = await stopAfter(1)
    const workspace = new RecordingWorkspace()
    const bad = resumeToCheckpoint(checkpoint, new RecordingModel(script), workspace, { afterToolCalls: 0 })
    expect(await rejectionOf(bad)).toMatchObject({ code: 'invalid_option' })
    const unfit = Object.assign<object, object>(new RecordingModel(script), { saveCheckpoint: undefined }) as never
    const unsaved = resumeToCheckpoint(checkpoint, unfit, workspace)
    expect(await rejectionOf(unsaved)).toMatchObject({ code: 'not_checkpointable' })
  })
})

describe('a restored machine', () => {
  test('ignores every event but resume', async () => {
    const model = new RecordingModel(script)
    const input: AgentMachineInput = { task: 'inspect', model, workspace: new RecordingWorkspace() }
    const { context } = createActor(agentMachine, { input }).getSnapshot()
    const snapshot = agentMachine.resolveState({ value: { maybeCheckpoint: 'restored' }, context })
    const actor = createActor(agentMachine, { input, snapshot }).start()
    const value = { maybeCheckpoint: 'restored' }
    expect(actor.getSnapshot().value).toEqual(value)
    expect(actor.getSnapshot().hasTag('boundary')).toBe(true)
    for (const type of ['', 'next', 'xstate.init', 'xstate.done.actor.callModel', 'xstate.error.actor.executeTool']) {
      actor.send({ type } as never)
      expect(actor.getSnapshot().value).toEqual(value)
    }
    expect(model.inputs).toHaveLength(0)
    actor.send({ type: 'resume' })
    expect(actor.getSnapshot().value).toBe('awaitModel')
    actor.stop()
  })
})
