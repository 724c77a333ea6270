import type { Tally } from '../../wire.js'
import type { SessionContext } from './entry.js'

/** One line of the evidence: a count at the boundary and after the resume. */
export interface EvidenceRow {
  readonly name: string
  readonly before: string
  readonly now: string | null
  /** `same` as at the boundary, or what is `new` since. */
  readonly state: 'same' | 'new' | 'pending'
}

/** What the evidence says in one sentence. */
export interface Verdict {
  readonly state: 'none' | 'saved' | 'holds' | 'broken'
  readonly text: string
}

export interface Evidence {
  readonly rows: readonly EvidenceRow[]
  readonly verdict: Verdict
}

/** The counts before and after the resume. Before there is a boundary, the counts so far stand under "before". */
export function gatherEvidence({ atBoundary, now, restored }: SessionContext): Evidence {
  const before = atBoundary ?? now
  const isResumed = atBoundary !== null && restored !== null
  const row = (name: string, was: number, is: number, unit = ''): EvidenceRow => {
    if (!isResumed) return { name, before: `${was}${unit}`, now: null, state: 'pending' }
    return { name, before: `${was}${unit}`, now: `${is}${unit}`, state: was === is ? 'same' : 'new' }
  }
  const tools = [...new Set([...Object.keys(before.executions), ...Object.keys(now.executions)])]
  const rows = [
    row('approvals', before.approvals, now.approvals),
    row('receipts', countReceipts(before), countReceipts(now)),
    ...tools.map(tool => row(`${tool} called`, before.executions[tool] ?? 0, now.executions[tool] ?? 0, '×')),
  ]
  return { rows, verdict: judge(atBoundary, now, isResumed) }
}

function judge(atBoundary: Tally | null, now: Tally, isResumed: boolean): Verdict {
  if (atBoundary === null) return { state: 'none', text: 'No boundary yet.' }
  if (!isResumed) return { state: 'saved', text: 'Nothing recorded may run again.' }
  // Only the newest receipts are sent: those of the boundary stand further to the front, as many as came since.
  const shift = countReceipts(now) - now.receipts.length - (countReceipts(atBoundary) - atBoundary.receipts.length)
  const isKept = atBoundary.receipts.every(
    ({ receiptId }, index) => index < shift || now.receipts[index - shift]?.receiptId === receiptId,
  )
  const callIds = new Set(now.receipts.map(({ toolCallId }) => toolCallId))
  return isKept && callIds.size === now.receipts.length
    ? { state: 'holds', text: 'Nothing recorded ran again.' }
    : { state: 'broken', text: 'The recorded effects are not as they were.' }
}

function countReceipts({ receipts, receiptCount }: Tally): number {
  return receiptCount ?? receipts.length
}
