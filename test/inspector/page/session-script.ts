import type { Phase, SessionSnapshot, WireReceipt } from '../../../inspector/wire.js'

type SessionContext = SessionSnapshot['context']

const AT_FIRST: SessionContext = {
  task: 'The test in total.test.js fails. Find out why, mend total.js, and run the tests.',
  run: 1,
  agent: null,
  modelGate: 'open',
  pending: null,
  approvals: [],
  checkpoint: null,
  restored: null,
  atBoundary: null,
  now: { approvals: 0, receipts: [], executions: {} },
  files: [],
  outcome: null,
  error: null,
  controllable: false,
}

/** A session as the server would tell it: each change gives the whole of it. */
export class SessionScript {
  #context: SessionContext
  #phase: Phase = 'running'

  constructor(start: Partial<SessionContext> = {}) {
    this.#context = { ...AT_FIRST, ...start }
  }

  get context(): SessionContext {
    return this.#context
  }

  get snapshot(): SessionSnapshot {
    const hasEnded = ['completed', 'aborted', 'failed'].includes(this.#phase)
    return { status: hasEnded ? 'done' : 'active', value: this.#phase, context: this.#context }
  }

  change(phase: Phase, change: Partial<SessionContext>): SessionSnapshot {
    this.#phase = phase
    this.#context = { ...this.#context, ...change }
    return this.snapshot
  }

  /** One effect more: approved, run, its receipt kept. */
  addEffect(tool: string, result: string): SessionSnapshot {
    const { now, approvals } = this.#context
    const toolCallId = `call-${now.receipts.length + 1}`
    const receiptId = `${toolCallId}-${tool}`.padEnd(64, '0')
    const cut = { text: result, length: result.length }
    const receipt: WireReceipt = { receiptId, toolCallId, tool, exitState: 'ok', result: cut }
    return this.change(this.#phase, {
      approvals: [...approvals, { tool, approved: true }],
      now: { ...this.#count(tool), approvals: now.approvals + 1, receipts: [...now.receipts, receipt] },
    })
  }

  addRead(tool: string): SessionSnapshot {
    return this.change(this.#phase, { now: this.#count(tool) })
  }

  #count(tool: string): SessionContext['now'] {
    const { now } = this.#context
    return { ...now, executions: { ...now.executions, [tool]: (now.executions[tool] ?? 0) + 1 } }
  }
}
