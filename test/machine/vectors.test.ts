import {
  type AgentLimits,
  type AgentRun,
  buildSystemPrompt,
  createCheckpoint,
  createModelCheckpoint,
  type Message,
  type Role,
  RunEndedError,
  resumeAgent,
  runAgent,
  runToCheckpoint,
  type ToolName,
} from 'safepoint'
import { describe, expect, test } from 'vitest'

import { RecordingModel, RecordingWorkspace } from '../helpers/recording.js'
import { loadVectors } from '../helpers/vectors.js'

interface ExpectedRun {
  readonly completed: boolean
  readonly reason: string
  readonly final: string | null
  readonly events: readonly unknown[]
  readonly messagesOfLastCall: readonly unknown[]
  readonly messageCountPerCall: readonly number[]
  readonly toolCallsExecuted: readonly unknown[]
}

type VectorLimits = { readonly [K in keyof AgentLimits]?: number | { readonly overPrompt: number } }

interface RunCase<Expected> {
  readonly name: string
  readonly task: string
  readonly limits: VectorLimits
  readonly enabled: readonly ToolName[]
  readonly script: readonly string[]
  readonly observations: readonly string[]
  readonly expected: Expected
}

interface CheckpointRunCase
  extends RunCase<{
    readonly error?: string
    readonly messages: readonly unknown[]
    readonly model: {
      readonly conversationPosition: number
      readonly responseIndex: number
      readonly layerCount: number
    }
    readonly toolCallsExecuted: readonly unknown[]
    readonly modelCalls: number
    readonly resume: ExpectedRun
  }> {
  readonly afterToolCalls: number
  readonly resumeLimits: VectorLimits
}

const MARKS: Readonly<Record<string, (enabled: readonly ToolName[]) => unknown>> = {
  $system: enabled => prompt(enabled),
  $error: () => expect.stringMatching(/^error: ./),
  $errorObservation: () => expect.stringMatching(/^Tool result:\nerror: ./),
}

function prompt(enabled: readonly ToolName[]): string {
  return buildSystemPrompt({ availableTools: new Set(enabled) })
}

// The vectors mark the texts that are in the product's own words.
function expand(value: unknown, enabled: readonly ToolName[]): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(item => expand(item, enabled))
  const mark = MARKS[Object.keys(value)[0] ?? '']
  if (mark !== undefined) return mark(enabled)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expand(item, enabled)]))
}

function toLimits(limits: VectorLimits, enabled: readonly ToolName[]): Partial<AgentLimits> {
  const length = [...prompt(enabled)].length
  return Object.fromEntries(
    Object.entries(limits).map(([name, value]) => [
      name,
      typeof value === 'number' ? value : length + value.overPrompt,
    ]),
  )
}

function toPairs(messages: readonly Message[] | undefined): readonly unknown[] {
  return (messages ?? []).map(({ role, content }) => [role, content])
}

function summarize(run: AgentRun, model: RecordingModel, workspace: RecordingWorkspace): unknown {
  return {
    completed: run.completed,
    reason: run.reason,
    final: run.final,
    events: run.events,
    messagesOfLastCall: toPairs(model.inputs.at(-1)),
    messageCountPerCall: model.inputs.map(messages => messages.length),
    toolCallsExecuted: workspace.actions.map(({ tool, arguments: fields }) => ({ tool, arguments: fields })),
  }
}

describe('a whole run agrees with the reference', () => {
  test.for(loadVectors<RunCase<ExpectedRun>>('runs'))('$name', async vector => {
    const model = new RecordingModel(vector.script)
    const workspace = new RecordingWorkspace(vector.observations, vector.enabled)
    const run = await runAgent(vector.task, model, workspace, { limits: toLimits(vector.limits, vector.enabled) })
    expect(summarize(run, model, workspace)).toEqual(expand(vector.expected, vector.enabled))
  })
})

describe('a run to its boundary and its resume agree with the reference', () => {
  test.for(loadVectors<CheckpointRunCase>('checkpoint-runs'))('$name', async vector => {
    const { task, enabled, expected, afterToolCalls } = vector
    const model = new RecordingModel(vector.script)
    const workspace = new RecordingWorkspace(vector.observations, enabled)
    const stop = runToCheckpoint(task, model, workspace, { limits: toLimits(vector.limits, enabled), afterToolCalls })
    const executed = (): unknown =>
      workspace.actions.map(({ tool, arguments: fields }) => ({ tool, arguments: fields }))

    if (expected.error !== undefined) {
      const error = await stop.catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(RunEndedError)
      expect((error as RunEndedError).run.reason).toBe(expected.error)
      expect(executed()).toEqual(expected.toolCallsExecuted)
      expect(model.inputs).toHaveLength(expected.modelCalls)
      return
    }

    const checkpoint = await stop
    expect(checkpoint.task).toBe(task)
    expect(checkpoint.messages).toEqual(expand(expected.messages, enabled))
    expect(executed()).toEqual(expected.toolCallsExecuted)
    expect(model.inputs).toHaveLength(expected.modelCalls)

    const tokens = checkpoint.messages.map(([, content]) => [...content].length)
    const snapshot = createModelCheckpoint({
      conversationPosition: expected.model.conversationPosition,
      responseIndex: expected.model.responseIndex,
      cachedTokenIds: tokens,
      layerOffsets: Array.from({ length: expected.model.layerCount }, () => tokens.length),
    })
    const messages = checkpoint.messages.map(([role, content]: readonly [Role, string]) => ({ role, content }))
    expect(checkpoint).toEqual(createCheckpoint(task, messages, snapshot))

    const freshModel = new RecordingModel(vector.script)
    workspace.actions.length = 0
    const run = await resumeAgent(checkpoint, freshModel, workspace, { limits: toLimits(vector.resumeLimits, enabled) })
    expect(summarize(run, freshModel, workspace)).toEqual(expand(expected.resume, enabled))
  })
})
