import { createCheckpoint, runAgent, runToCheckpoint, validateCheckpoint } from 'safepoint'
import { describe, expect, test } from 'vitest'

import { RecordingModel, RecordingWorkspace } from '../helpers/recording.js'
import { finish, listRoot, rejectionOf } from '../helpers/scripts.js'

const model = (): RecordingModel => new RecordingModel([listRoot, finish])
const boom = (): never => {
  throw new Error('boom')
}

describe('an error is one sentence that names the offending thing', () => {
  test.for<[string, () => Promise<unknown>]>([
    [
      'The limit "maxStep" is unknown; there are maxSteps, maxContextChars, maxInvalidActions, maxIdenticalActions.',
      () => runAgent('inspect', model(), new RecordingWorkspace(), { limits: { maxStep: 1 } as never }),
    ],
    [
      'maxSteps must be a positive integer, not 0.',
      () => runAgent('inspect', model(), new RecordingWorkspace(), { limits: { maxSteps: 0 } }),
    ],
    [
      'afterToolCalls must be a positive integer, not -1.',
      () => runToCheckpoint('inspect', model(), new RecordingWorkspace(), { afterToolCalls: -1 }),
    ],
    [
      'limits must be an object, not 5.',
      () => runAgent('inspect', model(), new RecordingWorkspace(), { limits: 5 as never }),
    ],
    [
      'onEvent must be a function, not "log".',
      () => runAgent('inspect', model(), new RecordingWorkspace(), { onEvent: 'log' as never }),
    ],
    [
      'The model must be an object, not null; pass one with generate.',
      () => runAgent('inspect', null as never, new RecordingWorkspace()),
    ],
    [
      'The model has no method generate; pass one that implements it.',
      () => runAgent('inspect', {} as never, new RecordingWorkspace()),
    ],
    [
      'The workspace has no method execute; pass one that implements it.',
      () => runAgent('inspect', model(), {} as never),
    ],
    [
      'availableTools must be a set of tool names, not "run_shell".',
      () =>
        runAgent(
          'inspect',
          model(),
          Object.assign(new RecordingWorkspace(), { availableTools: new Set(['run_shell']) }),
        ),
    ],
    [
      'availableTools must be a set of tool names, not null.',
      () => runAgent('inspect', model(), Object.assign(new RecordingWorkspace(), { availableTools: null as never })),
    ],
    [
      'modifiedFiles must be an array of paths, not 7.',
      () => runAgent('inspect', model(), Object.assign(new RecordingWorkspace(), { modifiedFiles: [7] as never })),
    ],
    [
      'The workspace cannot be read (boom).',
      () =>
        runAgent('inspect', model(), Object.defineProperty(new RecordingWorkspace(), 'availableTools', { get: boom })),
    ],
    [
      'model.generate at step 1 failed (boom); the thrown value is in "cause".',
      () => runAgent('inspect', { generate: boom }, new RecordingWorkspace()),
    ],
    [
      'model.generate at step 1 must answer a string, not 7.',
      () => runAgent('inspect', { generate: () => 7 as never }, new RecordingWorkspace()),
    ],
    [
      'workspace.execute (list_files) at step 1 failed (boom); the thrown value is in "cause".',
      () => runAgent('inspect', model(), Object.assign(new RecordingWorkspace(), { execute: boom })),
    ],
    [
      'onEvent failed (boom); the thrown value is in "cause".',
      () => runAgent('inspect', model(), new RecordingWorkspace(), { onEvent: boom }),
    ],
    [
      'The run ended before the boundary (completed); ask for an earlier boundary, or take the run as it is.',
      () => runToCheckpoint('inspect', new RecordingModel([finish]), new RecordingWorkspace()),
    ],
  ])('%s', async ([message, start]) => {
    expect(await rejectionOf(start())).toMatchObject({ message })
  })

  test('of a checkpoint too, and without a cause of its own', () => {
    const snapshot = { conversationPosition: 1, responseIndex: 0, cachedTokenIds: [], layerOffsets: [0] }
    expect(() => createCheckpoint('task', [null as never], snapshot)).toThrow(
      expect.objectContaining({ code: 'invalid_message', message: 'messages[0] must be a message, not null.' }),
    )
    const document = { checkpointId: 'x', task: 'task', messages: [], model: snapshot }
    const error = (() => {
      try {
        return validateCheckpoint(document)
      } catch (thrown) {
        return thrown
      }
    })()
    expect(error).toMatchObject({ message: 'A checkpoint needs at least one message.' })
    expect(Object.hasOwn(error as object, 'cause')).toBe(false)
  })
})

describe('what is asked of the two collaborators', () => {
  test('is met by a function that has the methods', async () => {
    const callable = Object.assign(() => undefined, { generate: () => finish })
    const workspace = Object.assign(() => undefined, {
      availableTools: new Set<never>(),
      modifiedFiles: [],
      execute: () => 'ok',
    })
    expect((await runAgent('inspect', callable, workspace)).reason).toBe('completed')
  })

  test('a limit that is undefined is the default', async () => {
    const limits = { maxSteps: undefined as never }
    expect((await runAgent('inspect', model(), new RecordingWorkspace(), { limits })).reason).toBe('completed')
  })

  test('the exact allowed commands of the workspace stand in the first message', async () => {
    const recording = new RecordingModel([finish])
    const workspace = Object.assign(new RecordingWorkspace(['ok'], ['run_command']), {
      allowedCommands: [['npm', 'test']],
    })
    await runAgent('inspect', recording, workspace)
    expect(recording.inputs[0]?.[0]?.content).toContain('["npm","test"]')
  })
})
