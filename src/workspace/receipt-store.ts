import { AgentError, describeValue } from '../errors.js'
import { checkReceipt, type EffectReceipt } from './receipt.js'
import { ReceiptLog } from './receipt-log.js'
import { SerialQueue } from './serial-queue.js'

/** The receipts of the effects that took place, by tool call id. One store may outlive many workspaces. */
export class ReceiptStore {
  readonly #receipts = new Map<string, EffectReceipt>()
  readonly #claimed = new Set<string>()
  readonly #queue = new SerialQueue()
  readonly #log: ReceiptLog | undefined

  private constructor(log?: ReceiptLog) {
    this.#log = log
  }

  /** An empty store that forgets everything with the process. */
  static inMemory(): ReceiptStore {
    return new ReceiptStore()
  }

  /**
   * A store that is kept in a file of JSON lines, which is created when it is missing. One process writes a log at a
   * time: what another adds meanwhile is not seen until the next `open`.
   *
   * @throws AgentError: `receipt_log_damaged` when a line is changed, malformed, conflicting or torn (names the line),
   * `path_refused` when the file is a symbolic link, `file_refused` when it is not a regular file, `invalid_option` when
   * it is no path at all, `io_failed`.
   */
  static async open(file: string): Promise<ReceiptStore> {
    const { log, receipts } = await ReceiptLog.open(file)
    const store = new ReceiptStore(log)
    for (const receipt of receipts) store.#receipts.set(receipt.toolCallId, receipt)
    return store
  }

  /** The absolute path of the log; undefined for a store in memory. */
  get file(): string | undefined {
    return this.#log?.file
  }

  /** How many receipts there are. */
  get size(): number {
    return this.#receipts.size
  }

  /** The receipt of a tool call, if its effect took place. */
  get(toolCallId: string): EffectReceipt | undefined {
    return this.#receipts.get(toolCallId)
  }

  /** All receipts, in the order in which they were put. */
  all(): readonly EffectReceipt[] {
    return Object.freeze([...this.#receipts.values()])
  }

  /**
   * Keeps a receipt; the same one again is kept once. Resolves when it is on the disk, where there is a log. A receipt
   * that could not be written is not kept.
   *
   * @throws AgentError: `invalid_receipt` when it is malformed or its id does not match its content,
   * `call_id_conflict` when the call has another receipt, `io_failed`, `receipt_log_damaged`.
   */
  async put(receipt: EffectReceipt): Promise<void> {
    const checked = checkReceipt(receipt)
    const log = this.#log
    if (log === undefined) this.#keep(checked)
    else {
      await this.#queue.run(async () => {
        if (!this.#isKnown(checked)) await log.append(checked)
        this.#keep(checked)
      })
    }
  }

  /**
   * Claims a tool call id for an effect that is on its way, so that no other workspace on this store takes it meanwhile.
   *
   * @returns Whether the id is the caller's now; false when it is claimed already. What is recorded may be claimed.
   */
  claim(toolCallId: string): boolean {
    if (this.#claimed.has(toolCallId)) return false
    this.#claimed.add(toolCallId)
    return true
  }

  /** Whether an effect under this id is on its way. */
  isClaimed(toolCallId: string): boolean {
    return this.#claimed.has(toolCallId)
  }

  /** Gives a claimed id back, whatever became of its effect. */
  release(toolCallId: string): void {
    this.#claimed.delete(toolCallId)
  }

  #keep(receipt: EffectReceipt): void {
    if (!this.#isKnown(receipt)) this.#receipts.set(receipt.toolCallId, receipt)
  }

  #isKnown(receipt: EffectReceipt): boolean {
    const known = this.#receipts.get(receipt.toolCallId)
    if (known === undefined || known.receiptId === receipt.receiptId) return known !== undefined
    const id = describeValue(receipt.toolCallId)
    throw new AgentError('call_id_conflict', `the tool call ${id} already has another receipt; use a new id`)
  }
}
