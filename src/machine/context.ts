import type { AgentCheckpoint } from '../checkpoint/agent-checkpoint.js'
import type { AgentAction, ToolAction, ToolName } from '../conversation/action.js'
import { isSameAction } from '../conversation/action.js'
import { createMessage, type Message, OBSERVATION_PREFIX } from '../conversation/message.js'
import type { AgentWorkspace, CheckpointableModel, Model } from '../ports.js'
import { countCodePoints } from '../unicode.js'
import type { AgentEvent, StopReason } from './agent-run.js'
import type { AppendOnlyList } from './append-only-list.js'
import type { AgentLimits } from './limits.js'

/** What `callModel` resolves to: the raw response with its action, or with the fault that the model will read. */
export type Decision =
  | { readonly response: string; readonly action: AgentAction; readonly fault: null }
  | { readonly response: string; readonly action: null; readonly fault: string }

/** All that the machine knows. Never changed in place: every function here returns what is different. */
export interface AgentContext {
  readonly task: string
  readonly model: Model | CheckpointableModel
  readonly workspace: AgentWorkspace
  readonly signal: AbortSignal | undefined
  readonly tools: readonly ToolName[]
  readonly limits: AgentLimits
  /** The boundary: after how many tool calls; `null` for a run that has none. */
  readonly afterToolCalls: number | null
  readonly messages: AppendOnlyList<Message>
  /** Code points of all contents in `messages`, counted as they come. */
  readonly contextChars: number
  readonly events: AppendOnlyList<AgentEvent>
  readonly step: number
  /** Tool calls whose observation has been appended. */
  readonly toolCalls: number
  readonly invalidActions: number
  readonly identicalActions: number
  readonly lastToolAction: ToolAction | null
  /** The decision that is being carried out: not yet part of the conversation. */
  readonly decision: Decision | null
  readonly reason: StopReason | null
  readonly checkpoint: AgentCheckpoint | null
}

type Change = Partial<AgentContext>

/** A decision was made: one step more, and the counters that the next one is judged by. */
export function recordDecision(context: AgentContext, decision: Decision): Change {
  const step = context.step + 1
  if (decision.action === null) {
    const invalidActions = context.invalidActions + 1
    return { step, decision, invalidActions, identicalActions: 0, lastToolAction: null }
  }
  if (decision.action.kind === 'final') return { step, decision }
  const identicalActions = countIdentical(context, decision.action)
  return { step, decision, identicalActions, lastToolAction: decision.action }
}

/** The decision has its result: it becomes an event. The conversation does not have it yet. */
export function recordResult(context: AgentContext, result: string | null): Change {
  const { response, action } = requireDecision(context)
  return { events: context.events.append(Object.freeze({ step: context.step, response, action, result })) }
}

/** Both halves of the newest interaction join the conversation; only now is a tool call counted. */
export function appendPair(context: AgentContext): Change {
  const { response, action } = requireDecision(context)
  const result = context.events.last()?.result ?? ''
  return {
    messages: context.messages.append(
      createMessage('assistant', response),
      createMessage('user', OBSERVATION_PREFIX + result),
    ),
    contextChars:
      context.contextChars + countCodePoints(response) + OBSERVATION_PREFIX.length + countCodePoints(result),
    toolCalls: context.toolCalls + (action?.kind === 'tool' ? 1 : 0),
    decision: null,
  }
}

/** How many times in a row this request has now been made, this one included. */
export function countIdentical(context: AgentContext, action: ToolAction): number {
  const isRepeated = context.lastToolAction !== null && isSameAction(context.lastToolAction, action)
  return isRepeated ? context.identicalActions + 1 : 1
}

function requireDecision(context: AgentContext): Decision {
  // The statechart has no way here without a decision; were there one, going on would lose a half of a pair.
  if (context.decision === null) throw new Error('There is no decision to record.')
  return context.decision
}
