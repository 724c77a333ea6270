import { AgentError, type agentMachine, createCheckpoint, parseAction, ScriptedModel } from 'safepoint'
import type { SnapshotFrom } from 'xstate'

export type AgentSnapshot = SnapshotFrom<typeof agentMachine>

/** What can happen to a run: each letter is one event of the machine, and one thing that a collaborator does. */
export type Letter =
  | 'final'
  | 'invalid'
  | 'readA'
  | 'readB'
  | 'modelThrows'
  | 'short'
  | 'long'
  | 'toolThrows'
  | 'save'
  | 'saveThrows'
  | 'resume'

/** What the model says for a letter. */
export const RESPONSES: Readonly<Partial<Record<Letter, string>>> = {
  final: '{"final":"done"}',
  invalid: 'no JSON',
  readA: '{"tool":"read_file","path":"a"}',
  readB: '{"tool":"read_file","path":"b"}',
}

/** What the tool answers for a letter; `long` alone is more than the context may hold. */
export const OBSERVATIONS: Readonly<Partial<Record<Letter, string>>> = { short: 'seen', long: 'x'.repeat(10_000) }

/** What is thrown for a letter: by whom, and the code it must come back with. */
export const FAILURES = {
  modelThrows: { actor: 'callModel', code: 'model_failed' },
  toolThrows: { actor: 'executeTool', code: 'workspace_failed' },
  saveThrows: { actor: 'saveCheckpoint', code: 'save_failed' },
} as const

/** An event of the machine, as XState sends it for an invoked actor; the machine's own event type has only `resume`. */
export interface LetterEvent {
  readonly type: string
  readonly letter: Letter
  readonly output?: unknown
  readonly error?: unknown
}

/** The letters that a state can meet. */
export function lettersOf({ value, status }: AgentSnapshot): readonly Letter[] {
  if (status !== 'active') return []
  switch (JSON.stringify(value)) {
    case '"awaitModel"':
      return ['final', 'invalid', 'readA', 'readB', 'modelThrows']
    case '"executeTool"':
      return ['short', 'long', 'toolThrows']
    case '{"maybeCheckpoint":"saving"}':
      return ['save', 'saveThrows']
    case '{"maybeCheckpoint":"restored"}':
      return ['resume']
    default:
      throw new Error(`No letter is known for the state ${JSON.stringify(value)}: a new state needs its letters here.`)
  }
}

/** The event that a letter stands for in a state. */
export function toEvent(letter: Letter, snapshot: AgentSnapshot): LetterEvent {
  if (letter === 'resume') return { type: 'resume', letter }
  if (letter in FAILURES) {
    const { actor, code } = FAILURES[letter as keyof typeof FAILURES]
    return { type: `xstate.error.actor.${actor}`, letter, error: new AgentError(code, letter) }
  }
  const response = RESPONSES[letter]
  if (response !== undefined) return { type: 'xstate.done.actor.callModel', letter, output: decide(response) }
  if (letter === 'save') return { type: 'xstate.done.actor.saveCheckpoint', letter, output: save(snapshot) }
  return { type: 'xstate.done.actor.executeTool', letter, output: OBSERVATIONS[letter] }
}

function decide(response: string): unknown {
  try {
    return { response, action: parseAction(response), fault: null }
  } catch (error) {
    return { response, action: null, fault: `error: ${(error as AgentError).message}` }
  }
}

function save({ context }: AgentSnapshot): unknown {
  const messages = context.messages.toArray()
  const model = new ScriptedModel([])
  // One response for each step so far, as the real run's model has given.
  const snapshot = { ...model.saveCheckpoint(messages), responseIndex: context.step }
  return createCheckpoint(context.task, messages, snapshot)
}
