import { type AgentLimits, agentMachine, buildSystemPrompt, createCheckpoint, ScriptedModel } from 'safepoint'
import { createActor, getMicrosteps } from 'xstate'
import { adjacencyMapToArray, getAdjacencyMap, getShortestPaths, getSimplePaths } from 'xstate/graph'

import { RecordingWorkspace } from '../helpers/recording.js'
import { type AgentSnapshot, type Letter, type LetterEvent, lettersOf, toEvent } from './alphabet.js'

export const TASK = 'inspect'

/** Small enough that every path ends, large enough that each limit can be the one that is reached. */
export const LIMITS: AgentLimits = {
  maxSteps: 3,
  maxContextChars: [...buildSystemPrompt(new RecordingWorkspace())].length + 5_000,
  maxInvalidActions: 2,
  maxIdenticalActions: 1,
}

/** How a run begins: at its start or from a checkpoint, with a boundary or without. */
export interface Beginning {
  readonly name: 'runAgent' | 'runToCheckpoint' | 'resumeAgent' | 'resumeToCheckpoint'
  readonly afterToolCalls: number | undefined
  readonly isResumed: boolean
}

export const BEGINNINGS: readonly Beginning[] = [
  { name: 'runAgent', afterToolCalls: undefined, isResumed: false },
  { name: 'runToCheckpoint', afterToolCalls: 2, isResumed: false },
  { name: 'resumeAgent', afterToolCalls: undefined, isResumed: true },
  { name: 'resumeToCheckpoint', afterToolCalls: 2, isResumed: true },
]

/** The checkpoint that the resumed beginnings go on from. */
export const SAVED = (() => {
  const messages = [
    { role: 'system', content: buildSystemPrompt(new RecordingWorkspace()) },
    { role: 'user', content: TASK },
    { role: 'assistant', content: '{"tool":"list_files"}' },
    { role: 'user', content: 'Tool result:\n(empty directory)' },
  ] as const
  return createCheckpoint(TASK, messages, new ScriptedModel([]).saveCheckpoint(messages))
})()

/** The machine's first snapshot for a beginning. */
function firstSnapshot({ afterToolCalls, isResumed }: Beginning): AgentSnapshot {
  const model = new ScriptedModel([])
  const input = { task: TASK, model, workspace: new RecordingWorkspace(), limits: LIMITS, afterToolCalls }
  const started = createActor(agentMachine, { input }).getSnapshot()
  if (!isResumed) return started
  const { context } = started
  const messages = context.messages.append(...SAVED.messages.slice(2).map(([role, content]) => ({ role, content })))
  return agentMachine.resolveState({ value: { maybeCheckpoint: 'restored' }, context: { ...context, messages } })
}

/** What guards look at, and nothing that only grows: two snapshots of one key have the same future. */
function keyOf({ value, status, context }: AgentSnapshot): string {
  const { step, toolCalls, invalidActions, identicalActions, lastToolAction, contextChars, reason } = context
  const isOver = contextChars > LIMITS.maxContextChars
  const last = lastToolAction?.arguments ?? null
  return JSON.stringify({ value, status, step, toolCalls, invalidActions, identicalActions, last, isOver, reason })
}

/** The graph from a beginning: how many states and transitions, and each shortest and simple path as a word. */
export interface Exploration {
  readonly states: number
  readonly transitions: number
  readonly words: readonly (readonly Letter[])[]
}

/** Walks the machine from a beginning through everything that can happen to it. */
export function explore(beginning: Beginning): Exploration {
  const options = {
    fromState: firstSnapshot(beginning),
    events: (snapshot: AgentSnapshot) => lettersOf(snapshot).map(letter => toEvent(letter, snapshot) as never),
    serializeState: (snapshot: AgentSnapshot) => keyOf(snapshot),
    serializeEvent: (event: unknown) => (event as LetterEvent).letter,
  }
  // The first step of a path is the start itself; its letter is none.
  const toWord = (path: { readonly steps: readonly { readonly event: unknown }[] }): readonly Letter[] =>
    path.steps.flatMap(({ event }) => (event as Partial<LetterEvent>).letter ?? [])
  const adjacency = getAdjacencyMap(agentMachine as never, options as never)
  const paths = [...getShortestPaths(agentMachine, options), ...getSimplePaths(agentMachine, options)].map(toWord)
  return {
    states: Object.keys(adjacency).length,
    transitions: adjacencyMapToArray(adjacency).length,
    words: [...new Map(paths.map(word => [word.join(' '), word])).values()],
  }
}

/** What the machine itself makes of a word, by its pure functions: the states in order, and where it ends. */
export function predict(
  beginning: Beginning,
  word: readonly Letter[],
  machine = agentMachine,
): { states: unknown[]; end: AgentSnapshot } {
  const { value, context } = firstSnapshot(beginning)
  let end = machine.resolveState({ value, context })
  const states: unknown[] = [end.value]
  for (const letter of word) {
    const steps = getMicrosteps(machine, end, toEvent(letter, end) as never)
    for (const [snapshot] of steps) if (snapshot.status !== 'error') states.push(snapshot.value)
    end = steps.at(-1)?.[0] ?? end
  }
  return { states, end }
}
