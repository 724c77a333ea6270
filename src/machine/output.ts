import type { AgentCheckpoint } from '../checkpoint/agent-checkpoint.js'
import type { AgentRun } from './agent-run.js'
import type { AgentContext } from './context.js'
import { readModifiedFiles } from './start.js'

/** What a machine that has ended answers: the checkpoint when it stopped at the boundary, else the finished run. */
export function toOutput(context: AgentContext): AgentRun | AgentCheckpoint {
  if (context.checkpoint !== null) return context.checkpoint
  if (context.reason === null) throw new Error('The machine has not ended.')
  const action = context.events.last()?.action
  return Object.freeze({
    completed: context.reason === 'completed',
    reason: context.reason,
    final: action?.kind === 'final' ? action.final : null,
    events: context.events.toArray(),
    modifiedFiles: readModifiedFiles(context.workspace),
  })
}
