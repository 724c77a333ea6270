import {
  AgentError,
  type AgentWorkspace,
  type CheckpointableModel,
  type ModelCheckpoint,
  resumeAgent,
  runAgent,
  runToCheckpoint,
} from 'safepoint'
import { describe, expect, test } from 'vitest'

import { RecordingModel, RecordingWorkspace } from '../helpers/recording.js'
import { finish, listRoot, readReadme, rejectionOf } from '../helpers/scripts.js'

type Method = 'generate' | 'execute' | 'saveCheckpoint' | 'restoreCheckpoint'

interface Scene {
  readonly model: RecordingModel
  readonly workspace: RecordingWorkspace
}

const script = [listRoot, readReadme, finish]

/** A model and a workspace whose `method` does something else on its `nth` call. */
function sceneWith(method: Method, nth: number, instead: () => unknown): Scene {
  const scene = { model: new RecordingModel(script), workspace: new RecordingWorkspace() }
  const target: CheckpointableModel | AgentWorkspace = method === 'execute' ? scene.workspace : scene.model
  const original = Reflect.get(target, method) as (...parameters: unknown[]) => unknown
  let calls = 0
  Object.assign(target, {
    [method]: (...parameters: unknown[]) => {
      calls += 1
      return calls === nth ? instead() : original.apply(target, parameters)
    },
  })
  return scene
}

/** Runs to the boundary after two tool calls and resumes with a fresh model over the same script. */
async function stopAndResume(first: Scene, second: Scene): Promise<unknown> {
  const checkpoint = await runToCheckpoint('inspect', first.model, first.workspace, { afterToolCalls: 2 })
  return resumeAgent(checkpoint, second.model, second.workspace)
}

const places: readonly [Method, nth: number, code: string, ofTheResume: boolean][] = [
  ['generate', 1, 'model_failed', false],
  ['generate', 2, 'model_failed', false],
  ['execute', 1, 'workspace_failed', false],
  ['execute', 2, 'workspace_failed', false],
  ['saveCheckpoint', 1, 'save_failed', false],
  ['restoreCheckpoint', 1, 'restore_failed', true],
  ['generate', 1, 'model_failed', true],
]

const thrownValues: readonly unknown[] = [new Error('boom'), 'a string', undefined, null, 0, Symbol('thrown')]

describe.for(places)('%s, call %i', ([method, nth, code, ofTheResume]) => {
  const fresh = (): Scene => ({ model: new RecordingModel(script), workspace: new RecordingWorkspace() })
  const failing = (instead: () => unknown): Promise<unknown> => {
    const scene = sceneWith(method, nth, instead)
    return ofTheResume ? stopAndResume(fresh(), scene) : stopAndResume(scene, fresh())
  }

  test.for(thrownValues)('a thrown %s is the cause of an AgentError', async thrown => {
    const error = await rejectionOf(
      failing(() => {
        throw thrown
      }),
    )
    expect(error).toBeInstanceOf(AgentError)
    expect(error).toMatchObject({ code })
    expect(Object.hasOwn(error as AgentError, 'cause')).toBe(true)
    expect((error as AgentError).cause).toBe(thrown)
  })

  test.for(thrownValues)('a rejection with %s is the cause of an AgentError', async thrown => {
    const error = await rejectionOf(failing(() => Promise.reject(thrown)))
    expect(error).toMatchObject({ code })
    expect((error as AgentError).cause).toBe(thrown)
  })

  test('an AgentError of its own is wrapped like any other', async () => {
    const own = new AgentError('io_failed', 'The disk is gone.')
    const error = await rejectionOf(failing(() => Promise.reject(own)))
    expect(error).toMatchObject({ code })
    expect((error as AgentError).cause).toBe(own)
  })

  test('nothing further is called', async () => {
    const scene = sceneWith(method, nth, () => Promise.reject(new Error('boom')))
    const other = fresh()
    await rejectionOf(ofTheResume ? stopAndResume(other, scene) : stopAndResume(scene, other))
    const before = { generate: nth - 1, execute: nth, saveCheckpoint: 2, restoreCheckpoint: 0 }[method]
    expect(scene.model.inputs.length).toBe(before)
    if (ofTheResume) expect(scene.workspace.actions).toHaveLength(0)
    else expect(other.model.inputs).toHaveLength(0)
  })
})

describe('an answer that is no string', () => {
  test.for<unknown>([undefined, null, 7, ['a'], { text: 'a' }, Promise.resolve(null)])(
    'of the model: %s',
    async value => {
      const error = await rejectionOf(
        runAgent('inspect', { generate: () => value as string }, new RecordingWorkspace()),
      )
      expect(error).toMatchObject({ name: 'AgentError', code: 'model_failed' })
    },
  )

  test.for<unknown>([undefined, null, 7, ['a'], { text: 'a' }, Promise.resolve(null)])('of a tool: %s', async value => {
    const workspace = Object.assign(new RecordingWorkspace(), { execute: () => value as string })
    const error = await rejectionOf(runAgent('inspect', new RecordingModel(script), workspace))
    expect(error).toMatchObject({ name: 'AgentError', code: 'workspace_failed' })
  })
})

describe('a workspace that cannot be read', () => {
  test.for(['availableTools', 'allowedCommands', 'modifiedFiles'])('%s throws', async property => {
    const thrown = new Error('unreadable')
    const workspace = Object.defineProperty(new RecordingWorkspace(), property, {
      get: () => {
        throw thrown
      },
    })
    const error = await rejectionOf(runAgent('inspect', new RecordingModel([finish]), workspace))
    expect(error).toMatchObject({ name: 'AgentError', code: 'workspace_failed' })
    expect((error as AgentError).cause).toBe(thrown)
  })
})

describe('a snapshot that cannot be bound', () => {
  const valid: ModelCheckpoint = {
    conversationPosition: 4,
    responseIndex: 1,
    cachedTokenIds: [1, 2, 3, 4],
    layerOffsets: [4, 4],
  }

  test.for<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a string', 'saved'],
    ['another position', { ...valid, conversationPosition: 5 }],
    ['an offset that is not the prefix length', { ...valid, layerOffsets: [4, 3] }],
    ['no layer', { ...valid, layerOffsets: [] }],
    ['a negative index', { ...valid, responseIndex: -1 }],
    ['a further field', { ...valid, note: 'x' }],
  ])('%s: there is no checkpoint', async ([, snapshot]) => {
    const model = Object.assign(new RecordingModel([readReadme]), { saveCheckpoint: () => snapshot as ModelCheckpoint })
    const error = await rejectionOf(runToCheckpoint('inspect', model, new RecordingWorkspace()))
    expect(error).toMatchObject({ name: 'AgentError', code: 'invalid_model_checkpoint' })
  })

  test('the valid one is bound', async () => {
    const model = Object.assign(new RecordingModel([readReadme]), { saveCheckpoint: () => valid })
    await expect(runToCheckpoint('inspect', model, new RecordingWorkspace())).resolves.toMatchObject({ model: valid })
  })
})
