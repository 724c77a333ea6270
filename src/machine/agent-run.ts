import type { AgentAction } from '../conversation/action.js'

/** Why a run ended. */
export type StopReason = 'completed' | 'step_limit' | 'context_limit' | 'invalid_action_limit' | 'repeated_action_limit'

/** One decision of the model and what came of it. Frozen when it is recorded. */
export interface AgentEvent {
  /** Which decision of this run it was, from 1. */
  readonly step: number
  /** What the model said, to the letter. */
  readonly response: string
  /** The action it stands for; `null` when it is none. */
  readonly action: AgentAction | null
  /** The observation, or `error: …`; `null` for a final answer. */
  readonly result: string | null
}

/** A run that has ended, whatever the reason. Deeply frozen. */
export interface AgentRun {
  /** Whether the model gave a final answer. */
  readonly completed: boolean
  readonly reason: StopReason
  /** The final answer, to the letter; `null` when there is none. */
  readonly final: string | null
  /** Every decision since the start, or since the resume. */
  readonly events: readonly AgentEvent[]
  /** What the workspace says it has changed, the effects from before a resume included. */
  readonly modifiedFiles: readonly string[]
}
