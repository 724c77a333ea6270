import type { Phase } from '../../wire.js'
import type { SessionState } from './entry.js'
import { shortId } from './format.js'

/** A phase in the words of the page. */
export const PHASE_NAMES: Readonly<Record<Phase, string>> = {
  running: 'running',
  paused: 'paused in front of the model',
  approval: 'waiting for your answer',
  boundary: 'at the boundary',
  completed: 'completed',
  aborted: 'aborted',
  failed: 'failed',
}

/** What is new in the session since before, each change in a few words; none when only its counts moved. */
export function describeSessionChange(before: SessionState | null, now: SessionState): readonly string[] {
  const was = before?.context
  const is = now.context
  const notes: string[] = []
  if (was && is.run !== was.run) notes.push(`run ${is.run} begins`)
  for (const answer of findNewAnswers(was?.run === is.run ? was.approvals : [], is.approvals)) {
    const reason = answer.reason ? `: ${answer.reason}` : ''
    notes.push(`${answer.approved ? 'approved' : 'denied'} ${answer.tool}${reason}`)
  }
  if (is.pending && is.pending.id !== was?.pending?.id) notes.push(`approval asked for ${is.pending.tool}`)
  if (is.checkpoint && is.checkpoint.checkpointId !== was?.checkpoint?.checkpointId) {
    notes.push(`checkpoint ${shortId(is.checkpoint.checkpointId)}`)
  }
  if (is.restored && !was?.restored) notes.push('model dropped, a fresh one restored')
  if (is.restored?.prefixMatches === true && was?.restored?.prefixMatches !== true) notes.push('prefix matches')
  if (now.phase === 'failed' && before?.phase !== 'failed') notes.push(`failed: ${is.error?.code ?? 'error'}`)
  const isAnswered = before?.phase === 'approval' && now.phase === 'running'
  if (notes.length === 0 && before && now.phase !== before.phase && !isAnswered)
    notes.push(now.phase === 'running' ? 'goes on' : PHASE_NAMES[now.phase])
  return notes
}

type Answers = SessionState['context']['approvals']

// Only the newest answers are sent: once the list is full, it stays as long as it is.
function findNewAnswers(was: Answers, is: Answers): Answers {
  if (is.length > was.length) return is.slice(was.length)
  return JSON.stringify(is) === JSON.stringify(was) ? [] : is.slice(-1)
}
