import {
  type AgentError,
  type AgentEvent,
  type AgentWorkspace,
  type CheckpointableModel,
  type Message,
  type ModelCheckpoint,
  RunEndedError,
  resumeAgent,
  resumeToCheckpoint,
  runAgent,
  runToCheckpoint,
  ScriptedModel,
} from 'safepoint'
import type { AnyTransitionDefinition, InspectionEvent } from 'xstate'

import { RecordingWorkspace } from '../helpers/recording.js'
import { FAILURES, type Letter, OBSERVATIONS, RESPONSES } from './alphabet.js'
import { type Beginning, LIMITS, SAVED, TASK } from './explore.js'

/** The end of a run: what it resolved to, or what it rejected with. */
export type End =
  | { readonly kind: 'output'; readonly output: unknown }
  | { readonly kind: 'error'; readonly code: string }

export interface RealRun {
  readonly states: readonly unknown[]
  readonly events: readonly AgentEvent[]
  readonly transitions: readonly AnyTransitionDefinition[]
  readonly end: End
}

/** Plays a word to the real entry point: each letter is what a collaborator does when it is called next. */
export async function playForReal(beginning: Beginning, word: readonly Letter[]): Promise<RealRun> {
  const letters = word.filter(letter => letter !== 'resume')
  const controller = new AbortController()
  // A word that has ended before the run leaves the call that comes next without an answer: the run is aborted.
  const next = (): Letter | undefined => {
    const letter = letters.shift()
    if (letter === undefined) queueMicrotask(() => controller.abort({ code: 'aborted' }))
    return letter
  }
  const states: unknown[] = []
  const events: AgentEvent[] = []
  const transitions: AnyTransitionDefinition[] = []
  const options = {
    limits: LIMITS,
    signal: controller.signal,
    onEvent: (event: AgentEvent) => events.push(event),
    inspect: (event: InspectionEvent) => {
      if (event.actorRef.sessionId !== event.rootId) return
      const isStart = event.type === '@xstate.snapshot' && event.event.type === 'xstate.init'
      if (event.type !== '@xstate.microstep' && !isStart) return
      const { value, status } = event.snapshot as unknown as { readonly value: unknown; readonly status: string }
      // An end in an error, and being stopped, are told as one more microstep of the state they happened in.
      if (status === 'active' || status === 'done') states.push(value)
      if (event.type === '@xstate.microstep') transitions.push(...event._transitions)
    },
  }
  const end = await call(beginning, createModel(next), createWorkspace(next), options).then(
    (output): End => ({ kind: 'output', output }),
    (error: AgentError): End =>
      error instanceof RunEndedError ? { kind: 'output', output: error.run } : { kind: 'error', code: error.code },
  )
  return { states, events, transitions, end }
}

function call(
  { name, afterToolCalls }: Beginning,
  model: CheckpointableModel,
  workspace: AgentWorkspace,
  options: Parameters<typeof runAgent>[3],
): Promise<unknown> {
  switch (name) {
    case 'runAgent':
      return runAgent(TASK, model, workspace, options)
    case 'runToCheckpoint':
      return runToCheckpoint(TASK, model, workspace, { ...options, afterToolCalls })
    case 'resumeAgent':
      return resumeAgent(SAVED, model, workspace, options)
    case 'resumeToCheckpoint':
      return resumeToCheckpoint(SAVED, model, workspace, { ...options, afterToolCalls })
  }
}

function createModel(next: () => Letter | undefined): CheckpointableModel {
  let calls = 0
  return {
    generate: () => {
      calls += 1
      return answer(next(), RESPONSES)
    },
    saveCheckpoint: (messages: readonly Message[]): Promise<ModelCheckpoint> => {
      const snapshot = { ...new ScriptedModel([]).saveCheckpoint(messages), responseIndex: calls }
      const letter = next()
      return letter === 'save' ? Promise.resolve(snapshot) : answer(letter, {})
    },
    restoreCheckpoint: () => undefined,
  }
}

function createWorkspace(next: () => Letter | undefined): AgentWorkspace {
  return Object.assign(new RecordingWorkspace(), { execute: () => answer(next(), OBSERVATIONS) })
}

function answer(letter: Letter | undefined, texts: Readonly<Partial<Record<Letter, string>>>): Promise<never> {
  if (letter === undefined) return new Promise(() => undefined)
  const text = texts[letter]
  if (text !== undefined) return Promise.resolve(text as never)
  if (letter in FAILURES) return Promise.reject(new Error(letter))
  return Promise.reject(new Error(`The letter ${letter} does not belong here.`))
}
