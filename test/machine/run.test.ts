import { inspect } from 'node:util'

import {
  AgentError,
  type AgentEvent,
  type AgentLimits,
  buildSystemPrompt,
  type CheckpointableModel,
  type Model,
  RunEndedError,
  runAgent,
  runToCheckpoint,
} from 'safepoint'
import { describe, expect, test } from 'vitest'

import { RecordingModel, RecordingWorkspace } from '../helpers/recording.js'
import { finish, isDeeplyFrozen, listRoot, readReadme, rejectionOf } from '../helpers/scripts.js'

describe('a run ends', () => {
  const toolsPromptLength = [...buildSystemPrompt(new RecordingWorkspace())].length

  test.for<[string, readonly string[], Partial<AgentLimits>]>([
    ['completed', [readReadme, finish], {}],
    ['step_limit', [readReadme, listRoot, finish], { maxSteps: 2 }],
    ['context_limit', [readReadme, finish], { maxContextChars: toolsPromptLength + 10 }],
    ['invalid_action_limit', ['no', 'no', finish], { maxInvalidActions: 2 }],
    ['repeated_action_limit', [listRoot, listRoot, finish], { maxIdenticalActions: 1 }],
  ])('with the reason %s', async ([reason, script, limits]) => {
    const run = await runAgent('inspect', new RecordingModel(script), new RecordingWorkspace(), { limits })
    expect(run.reason).toBe(reason)
    expect(run.completed).toBe(reason === 'completed')
    expect(run.final).toBe(reason === 'completed' ? 'done' : null)
  })

  test('over its context limit without asking the model', async () => {
    const model = new RecordingModel([finish])
    const run = await runAgent('inspect', model, new RecordingWorkspace(), { limits: { maxContextChars: 10 } })
    expect(run).toMatchObject({ reason: 'context_limit', events: [] })
    expect(model.inputs).toHaveLength(0)
  })

  test('exactly at its context limit it still goes on', async () => {
    const limits = { maxContextChars: toolsPromptLength + 7 }
    const at = await runAgent('inspect', new RecordingModel([finish]), new RecordingWorkspace(), { limits })
    const over = await runAgent('inspect!', new RecordingModel([finish]), new RecordingWorkspace(), { limits })
    expect([at.reason, over.reason]).toEqual(['completed', 'context_limit'])
  })

  test('without running the tool of the request that is one too many', async () => {
    const workspace = new RecordingWorkspace()
    const script = ['{"tool":"read_file","path":"a"}', '{"path":"a","tool":"read_file"}', finish]
    const run = await runAgent('inspect', new RecordingModel(script), workspace, { limits: { maxIdenticalActions: 1 } })
    expect(run.events.at(-1)).toMatchObject({ result: 'error: identical action loop detected' })
    expect(workspace.actions).toHaveLength(1)
  })

  test('list_files without a path and with "." are two different requests', async () => {
    const script = [listRoot, '{"tool":"list_files","path":"."}', listRoot, finish]
    const run = await runAgent('inspect', new RecordingModel(script), new RecordingWorkspace(), {
      limits: { maxIdenticalActions: 1 },
    })
    expect(run.reason).toBe('completed')
  })

  test('an invalid response between two identical requests makes the count start anew', async () => {
    const script = [listRoot, 'no', listRoot, finish]
    const run = await runAgent('inspect', new RecordingModel(script), new RecordingWorkspace(), {
      limits: { maxIdenticalActions: 1 },
    })
    expect(run.reason).toBe('completed')
  })
})

describe('what a run hands out', () => {
  test('is deeply frozen: the run, its events, the messages, the checkpoint', async () => {
    const model = new RecordingModel([readReadme, 'no', finish])
    const events: AgentEvent[] = []
    const run = await runAgent('inspect', model, new RecordingWorkspace(), { onEvent: event => events.push(event) })
    const checkpoint = await runToCheckpoint('inspect', new RecordingModel([readReadme]), new RecordingWorkspace())
    expect([run, ...events, ...model.inputs, checkpoint].every(isDeeplyFrozen)).toBe(true)
    expect(run.events).toEqual(events)
  })

  test('stays as it was while the run goes on: the messages of a call do not grow', async () => {
    const model = new RecordingModel([readReadme, listRoot, finish])
    await runAgent('inspect', model, new RecordingWorkspace())
    expect(model.inputs.map(messages => messages.length)).toEqual([2, 4, 6])
  })

  test('ends with the files that the workspace says it has changed, copied', async () => {
    const modifiedFiles = ['a.txt']
    const workspace = Object.assign(new RecordingWorkspace(), { modifiedFiles })
    const run = await runAgent('inspect', new RecordingModel([finish]), workspace)
    modifiedFiles.push('later.txt')
    expect(run.modifiedFiles).toEqual(['a.txt'])
  })

  test('the reserved names of objects are names like any other', async () => {
    const script = ['{"tool":"__proto__"}', '{"tool":"constructor"}', '{"tool":"list_files","__proto__":"x"}', finish]
    const workspace = new RecordingWorkspace()
    const run = await runAgent('inspect', new RecordingModel(script), workspace, { limits: { maxInvalidActions: 4 } })
    expect(run.events.map(event => event.action === null)).toEqual([true, true, true, false])
    expect(workspace.actions).toHaveLength(0)
  })
})

describe('the boundary', () => {
  test('comes after the observation has joined the conversation', async () => {
    const checkpoint = await runToCheckpoint('inspect', new RecordingModel([readReadme]), new RecordingWorkspace())
    expect(checkpoint.messages.slice(2)).toEqual([
      ['assistant', readReadme],
      ['user', 'Tool result:\nobserved'],
    ])
    expect(checkpoint.model).toMatchObject({ conversationPosition: 4, responseIndex: 1 })
  })

  test('counts tool calls and not invalid responses', async () => {
    const model = new RecordingModel(['no', listRoot, 'no', readReadme, finish])
    const checkpoint = await runToCheckpoint('inspect', model, new RecordingWorkspace(), { afterToolCalls: 2 })
    expect(model.inputs).toHaveLength(4)
    expect(checkpoint.messages).toHaveLength(10)
  })

  test('beats the step limit when both hold', async () => {
    const options = { afterToolCalls: 1, limits: { maxSteps: 1 } }
    const stop = runToCheckpoint('inspect', new RecordingModel([readReadme]), new RecordingWorkspace(), options)
    await expect(stop).resolves.toMatchObject({ task: 'inspect' })
  })

  test.for<[string, readonly string[], Partial<AgentLimits>]>([
    ['completed', [readReadme, finish], {}],
    ['step_limit', [readReadme, listRoot], { maxSteps: 1 }],
    ['context_limit', [readReadme], { maxContextChars: 1 }],
    ['invalid_action_limit', ['no'], { maxInvalidActions: 1 }],
    ['repeated_action_limit', [listRoot, listRoot], { maxIdenticalActions: 1 }],
  ])('a run that ends before it (%s) is a RunEndedError with the run in it', async ([reason, script, limits]) => {
    const options = { afterToolCalls: 9, limits }
    const stop = runToCheckpoint('inspect', new RecordingModel(script), new RecordingWorkspace(), options)
    const error = await rejectionOf(stop)
    expect(error).toBeInstanceOf(RunEndedError)
    expect(error).toBeInstanceOf(AgentError)
    expect(error).toMatchObject({ code: 'run_ended', run: { reason }, message: expect.stringContaining(reason) })
  })
})

describe('before anything has run', () => {
  const model = (): RecordingModel => new RecordingModel([finish])
  const without = (method: string): CheckpointableModel => Object.assign(model(), { [method]: undefined })
  const notANumber = Number.NaN
  const unreadable = (): never => {
    throw new Error('unreadable')
  }

  test.for<[string, string, () => Promise<unknown>]>([
    ['an empty task', 'invalid_task', () => runAgent('', model(), new RecordingWorkspace())],
    ['a blank task', 'invalid_task', () => runAgent(' \u001c\u2003\n', model(), new RecordingWorkspace())],
    ['a task that is no string', 'invalid_task', () => runAgent(7 as never, model(), new RecordingWorkspace())],
    ...[0, -1, 1.5, notANumber, Number.POSITIVE_INFINITY, '3', null].flatMap(value =>
      (['maxSteps', 'maxContextChars', 'maxInvalidActions', 'maxIdenticalActions'] as const).map(
        (name): [string, string, () => Promise<unknown>] => [
          `the limit ${name} of ${String(value)}`,
          'invalid_option',
          () => runAgent('inspect', model(), new RecordingWorkspace(), { limits: { [name]: value as never } }),
        ],
      ),
    ),
    [
      'a limit nobody knows',
      'invalid_option',
      () => runAgent('inspect', model(), new RecordingWorkspace(), { limits: { maxStep: 3 } as never }),
    ],
    ...[0, -1, 1.5, notANumber, 2 ** 53, '1', null].map((value): [string, string, () => Promise<unknown>] => [
      `a boundary after ${String(value)} tool calls`,
      'invalid_option',
      () => runToCheckpoint('inspect', model(), new RecordingWorkspace(), { afterToolCalls: value as never }),
    ]),
    ['a model without generate', 'invalid_option', () => runAgent('inspect', {} as Model, new RecordingWorkspace())],
    ['a model that is null', 'invalid_option', () => runAgent('inspect', null as never, new RecordingWorkspace())],
    ['a workspace that is no object', 'invalid_option', () => runAgent('inspect', model(), 'here' as never)],
    [
      'a listener that is no function',
      'invalid_option',
      () => runAgent('inspect', model(), new RecordingWorkspace(), { onEvent: 'log' as never }),
    ],
    [
      'options that are null',
      'invalid_option',
      () => runAgent('inspect', model(), new RecordingWorkspace(), null as never),
    ],
    [
      'options of a boundary that are null',
      'invalid_option',
      () => runToCheckpoint('inspect', model(), new RecordingWorkspace(), null as never),
    ],
    ...[null, 5, 'many'].map((limits): [string, string, () => Promise<unknown>] => [
      `limits that are ${String(limits)}`,
      'invalid_option',
      () => runAgent('inspect', model(), new RecordingWorkspace(), { limits: limits as never }),
    ]),
    [
      'limits that cannot be read',
      'invalid_option',
      () => {
        const limits = Object.defineProperty({}, 'maxSteps', { enumerable: true, get: unreadable })
        return runAgent('inspect', model(), new RecordingWorkspace(), { limits })
      },
    ],
    ...[null, {}, new AbortController(), 'stop'].map((signal): [string, string, () => Promise<unknown>] => [
      `a signal that is no signal: ${inspect(signal)}`,
      'invalid_option',
      () => runAgent('inspect', model(), new RecordingWorkspace(), { signal: signal as never }),
    ]),
    [
      'an inspector that is no observer',
      'invalid_option',
      () => runAgent('inspect', model(), new RecordingWorkspace(), { inspect: 'look' as never }),
    ],
    [
      'a generate that cannot be read',
      'invalid_option',
      () =>
        runAgent(
          'inspect',
          Object.defineProperty({}, 'generate', { get: unreadable }) as Model,
          new RecordingWorkspace(),
        ),
    ],
    ...[undefined, null, 'read_file', ['read_file', 'run_shell'], new Set([7])].map(
      (availableTools): [string, string, () => Promise<unknown>] => [
        `tools that are no set of tool names: ${inspect(availableTools)}`,
        'workspace_failed',
        () => runAgent('inspect', model(), Object.assign(new RecordingWorkspace(), { availableTools }) as never),
      ],
    ),
    ...[undefined, null, 'a.txt', ['a.txt', { path: 'b' }]].map(
      (modifiedFiles): [string, string, () => Promise<unknown>] => [
        `modified files that are no array of paths: ${inspect(modifiedFiles)}`,
        'workspace_failed',
        () => runAgent('inspect', model(), Object.assign(new RecordingWorkspace(), { modifiedFiles }) as never),
      ],
    ),
    [
      'a boundary for a model that cannot be saved',
      'not_checkpointable',
      () => runToCheckpoint('inspect', without('saveCheckpoint'), new RecordingWorkspace()),
    ],
  ])('%s is refused', async ([, code, start]) => {
    const error = await rejectionOf(start())
    expect(error).toBeInstanceOf(AgentError)
    expect(error).toMatchObject({ code })
  })

  test('a refused run calls neither the model nor the workspace', async () => {
    const unused = model()
    const workspace = new RecordingWorkspace()
    await rejectionOf(runToCheckpoint('inspect', unused, workspace, { afterToolCalls: 0 }))
    await rejectionOf(runAgent(' ', unused, workspace))
    expect([unused.inputs.length, workspace.actions.length]).toEqual([0, 0])
  })
})
