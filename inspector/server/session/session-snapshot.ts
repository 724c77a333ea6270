import type { AgentCheckpoint } from 'safepoint'

import type { Phase, SessionSnapshot } from '../../wire.js'
import { cutText } from '../wire/cut-text.js'
import { toWireError } from '../wire/wire-error.js'
import { toWireModel } from '../wire/wire-model.js'
import type { RunEnd } from './prepared-run.js'

type SessionContext = SessionSnapshot['context']

/** What a run knows of itself beside its machine: all of it goes into each snapshot of the session. */
export interface SessionFacts extends Omit<SessionContext, 'outcome' | 'error' | 'controllable'> {
  readonly isModelWaiting: boolean
  readonly isAtBoundary: boolean
  readonly end: RunEnd | null
}

/** The session's snapshot of these facts. */
export function toSessionSnapshot(facts: SessionFacts, controllable: boolean): SessionSnapshot {
  // Field by field: this is done for each tool call, and copies of whole objects are what costs.
  const { outcome, error } = readEnd(facts.end)
  return {
    status: facts.end === null ? 'active' : 'done',
    value: readPhase(facts),
    context: {
      task: cutText(facts.task).text,
      run: facts.run,
      agent: facts.agent,
      modelGate: facts.modelGate,
      pending: facts.pending,
      approvals: facts.approvals,
      checkpoint: facts.checkpoint,
      restored: facts.restored,
      atBoundary: facts.atBoundary,
      now: facts.now,
      files: facts.files,
      outcome,
      error,
      controllable,
    },
  }
}

/** The facts of a run that could not even be prepared. */
export function createFailedFacts(run: number, end: RunEnd): SessionFacts {
  const now = { approvals: 0, receipts: [], receiptCount: 0, executions: {} }
  return {
    task: '',
    run,
    agent: null,
    modelGate: 'open',
    pending: null,
    approvals: [],
    checkpoint: null,
    restored: null,
    atBoundary: null,
    now,
    files: [],
    isModelWaiting: false,
    isAtBoundary: false,
    end,
  }
}

/** A checkpoint as the session shows it. */
export function toWireCheckpoint({ checkpointId, messages, model }: AgentCheckpoint): SessionContext['checkpoint'] {
  return { checkpointId, messages: messages.length, model: toWireModel(model) }
}

function readPhase({ end, pending, isAtBoundary, isModelWaiting }: SessionFacts): Phase {
  if (end !== null) return end.phase
  if (pending !== null) return 'approval'
  if (isAtBoundary) return 'boundary'
  return isModelWaiting ? 'paused' : 'running'
}

function readEnd(end: RunEnd | null): Pick<SessionContext, 'outcome' | 'error'> {
  if (end === null) return { outcome: null, error: null }
  if (end.phase !== 'completed') return { outcome: null, error: toWireError(end.error) }
  const { reason, final } = end.run
  return { outcome: { reason, final: final === null ? null : cutText(final) }, error: null }
}
