import type { EffectReceipt, ReceiptStore, ToolAction } from 'safepoint'

import type { Tally, WireReceipt } from '../../wire.js'
import { cutText } from '../wire/cut-text.js'

/** What every snapshot of the session carries is small, so that a long run costs no more a step than a short one. */
const MOST_RECEIPTS = 32
const MOST_RESULT = 400

/** Counts what can be counted at any moment of a run: approvals asked for, receipts, executions of tools. */
export class Evidence {
  readonly #findReceipts: () => ReceiptStore | undefined
  readonly #executions = new Map<string, number>()
  #approvals = 0
  #newest: readonly WireReceipt[] = []
  #count = 0

  /** @param findReceipts - The store, once the workspace is there. */
  constructor(findReceipts: () => ReceiptStore | undefined) {
    this.#findReceipts = findReceipts
  }

  countApproval(): void {
    this.#approvals += 1
  }

  countExecution(action: ToolAction): void {
    this.#executions.set(action.tool, (this.#executions.get(action.tool) ?? 0) + 1)
  }

  tally(): Tally {
    this.#readReceipts()
    return {
      approvals: this.#approvals,
      receipts: this.#newest,
      receiptCount: this.#count,
      executions: Object.fromEntries(this.#executions),
    }
  }

  #readReceipts(): void {
    const receipts = this.#findReceipts()
    const count = receipts?.size ?? 0
    if (count === this.#count) return
    this.#count = count
    this.#newest = (receipts?.all() ?? []).slice(-MOST_RECEIPTS).map(toWireReceipt)
  }
}

function toWireReceipt({ receiptId, toolCallId, tool, exitState, result }: EffectReceipt): WireReceipt {
  return { receiptId, toolCallId: cutText(toolCallId, 100).text, tool, exitState, result: cutText(result, MOST_RESULT) }
}
