import { isSameAction, TOOL_NAMES, type ToolAction, type ToolName } from '../conversation/action.js'
import { AgentError, describeThrown, describeValue } from '../errors.js'
import type { AgentWorkspace } from '../ports.js'
import { type ConfirmTool, requireApproval } from './approval.js'
import { type EffectAction, isReadAction, prepareEffect, type ReadAction } from './effect.js'
import { createPolicy, type ToolPolicy, type ToolPolicyInput } from './policy.js'
import { createReceipt, type EffectReceipt, type ReceiptFields } from './receipt.js'
import { ReceiptStore } from './receipt-store.js'
import { SerialQueue } from './serial-queue.js'
import { readToolRequest, type ToolRequest } from './tool-request.js'
import { WorkspaceFiles } from './workspace-files.js'

/** Who approves effects, and where their receipts are kept. */
export interface WorkspaceOptions {
  /** Without it every effect is denied. */
  readonly confirmTool?: ConfirmTool
  /** A store of its own in memory, when left out. */
  readonly receipts?: ReceiptStore
}

const READING_TOOLS: ReadonlySet<ToolName> = new Set(['list_files', 'read_file'])

/**
 * The one gate through which tools touch files and run commands. Calls on one workspace are taken one after another,
 * whichever method they come through. It runs on systems with POSIX files and process groups.
 */
export class Workspace implements AgentWorkspace {
  readonly #policy: ToolPolicy
  readonly #files: WorkspaceFiles
  readonly #confirmTool: ConfirmTool | undefined
  readonly #receipts: ReceiptStore
  readonly #queue = new SerialQueue()
  #lastCall = 0

  /**
   * @throws AgentError: `invalid_policy` when the policy cannot be used, `invalid_option` when `confirmTool` is not a
   * function or `receipts` is not a `ReceiptStore`.
   */
  constructor(policy: ToolPolicyInput, options: WorkspaceOptions = {}) {
    if (typeof options !== 'object' || options === null) {
      throw new AgentError('invalid_option', `the workspace's options must be an object, not ${describeValue(options)}`)
    }
    const { confirmTool, receipts = ReceiptStore.inMemory() } = options
    if (confirmTool !== undefined && typeof confirmTool !== 'function') {
      throw new AgentError('invalid_option', `confirmTool must be a function, not ${describeValue(confirmTool)}`)
    }
    if (!(receipts instanceof ReceiptStore)) {
      throw new AgentError('invalid_option', `receipts must be a ReceiptStore, not ${describeValue(receipts)}`)
    }
    this.#policy = createPolicy(policy)
    this.#files = new WorkspaceFiles(this.#policy, receipts.file)
    this.#confirmTool = confirmTool
    this.#receipts = receipts
  }

  /** The enabled tools: reading always, writing and commands as the policy says. */
  get availableTools(): ReadonlySet<ToolName> {
    return new Set(TOOL_NAMES.filter(tool => this.#isEnabled(tool)))
  }

  /** The exact commands that `run_command` accepts. */
  get allowedCommands(): readonly (readonly string[])[] {
    return this.#policy.allowedCommands
  }

  /** The files that this workspace has written, sorted by code point; what a command changed is not known. */
  get modifiedFiles(): readonly string[] {
    return this.#files.modified
  }

  /** One level of a directory as `file PATH` and `dir PATH` lines. Throws `AgentError` for what it refuses. */
  listFiles(path = '.'): Promise<string> {
    return this.#call('list_files', { path })
  }

  /** The text of a file, which may be changed from then on. Throws `AgentError` for what it refuses. */
  readFile(path: string): Promise<string> {
    return this.#call('read_file', { path })
  }

  /** Creates a file, or replaces one that was read. Asks nobody, leaves no receipt, throws `AgentError`. */
  writeFile(path: string, content: string): Promise<string> {
    return this.#call('write_file', { path, content })
  }

  /** Replaces a text that is present exactly once. Asks nobody, leaves no receipt, throws `AgentError`. */
  editFile(path: string, old: string, replacement: string): Promise<string> {
    return this.#call('edit_file', { path, old, new: replacement })
  }

  /** Runs an allowed command and answers its observation. Asks nobody, leaves no receipt, throws `AgentError`. */
  runCommand(argv: readonly string[]): Promise<string> {
    return this.#call('run_command', { argv })
  }

  /**
   * Runs one action for the model and answers the observation. Whatever the model or the operator can mend comes back
   * as a text that begins with `error: `. An effect is checked, approved, checked again, carried out and recorded under
   * `toolCallId` (`call-1`, `call-2`, … when none is given); an id that is already recorded for the same action answers
   * the recorded result and has no effect.
   *
   * @throws AgentError (`receipt_store_failed`) when an effect took place and its receipt could not be recorded; `cause`
   * is the value thrown.
   * @throws The signal's reason when it is aborted. A running command is ended and leaves no receipt; a write that is
   * under way is completed, recorded and answered.
   */
  async execute(action: ToolAction, signal?: AbortSignal, toolCallId?: string): Promise<string> {
    if (signal !== undefined && !(signal instanceof AbortSignal)) {
      throw new AgentError('invalid_option', `the signal must be an AbortSignal, not ${describeValue(signal)}`)
    }
    signal?.throwIfAborted()
    const request = readToolRequest(action)
    try {
      return await this.#queue.run(() => this.#perform(request, signal, toolCallId), signal)
    } catch (fault) {
      if (signal?.aborted && fault === signal.reason) throw fault
      if (!(fault instanceof AgentError) || fault.code === 'receipt_store_failed') throw fault
      return `error: ${fault.message}`
    }
  }

  async #call(tool: ToolName, fields: unknown): Promise<string> {
    const request = readToolRequest({ tool, arguments: fields })
    return this.#queue.run(async () => {
      this.#requireEnabled(tool)
      const action = requireAction(request)
      if (isReadAction(action)) return this.#read(action)
      const effect = await prepareEffect(action, this.#policy, this.#files)
      return (await effect.carryOut()).result
    })
  }

  async #perform(request: ToolRequest, signal: AbortSignal | undefined, toolCallId: unknown): Promise<string> {
    if (request.tool !== undefined) this.#requireEnabled(request.tool)
    const given = toolCallId === undefined ? undefined : readCallId(toolCallId)
    const isEffect = request.tool !== undefined && !READING_TOOLS.has(request.tool)
    const callId = given ?? (isEffect ? this.#nextCallId() : undefined)
    const action = requireAction(request)
    const recorded = callId === undefined ? undefined : this.#findRecorded(action, callId)
    if (recorded !== undefined) return recorded.result
    if (isReadAction(action)) return this.#read(action)
    return this.#performClaimed(action, String(callId), signal)
  }

  // Another workspace may use the same store: one call id is one effect, wherever it comes from.
  async #performClaimed(action: EffectAction, callId: string, signal: AbortSignal | undefined): Promise<string> {
    if (!this.#receipts.claim(callId)) {
      const message = `the tool call ${describeValue(callId)} is on its way in another workspace; use a new id`
      throw new AgentError('call_id_conflict', message)
    }
    try {
      return await this.#performEffect(action, callId, signal)
    } finally {
      this.#receipts.release(callId)
    }
  }

  async #performEffect(action: EffectAction, callId: string, signal: AbortSignal | undefined): Promise<string> {
    const { basis } = await prepareEffect(action, this.#policy, this.#files)
    await requireApproval(this.#confirmTool, action, signal)
    const effect = await prepareEffect(action, this.#policy, this.#files)
    if (effect.basis !== basis) {
      throw new AgentError('stale_file', 'the file has changed while the operator was asked; read it again')
    }
    signal?.throwIfAborted()
    const outcome = await effect.carryOut(signal)
    await this.#record({ toolCallId: callId, tool: action.tool, arguments: action.arguments, ...outcome })
    return outcome.result
  }

  #read(action: ReadAction): Promise<string> {
    return action.tool === 'list_files'
      ? this.#files.list(action.arguments.path ?? '.')
      : this.#files.read(action.arguments.path)
  }

  async #record(fields: ReceiptFields): Promise<void> {
    try {
      await this.#receipts.put(createReceipt(fields))
    } catch (cause) {
      const message = `the effect of ${describeValue(fields.toolCallId)} took place and its receipt could not be recorded`
      throw new AgentError('receipt_store_failed', `${message}: ${describeThrown(cause)}`, { cause })
    }
  }

  #findRecorded(action: ToolAction, callId: string): EffectReceipt | undefined {
    const receipt = this.#receipts.get(callId)
    if (receipt === undefined) return undefined
    const recorded = { kind: 'tool', tool: receipt.tool, arguments: receipt.arguments } as ToolAction
    if (isSameAction(action, recorded)) return receipt
    const message = `the tool call ${describeValue(callId)} is already recorded for another action; use a new id`
    throw new AgentError('call_id_conflict', message)
  }

  // Recorded ids are skipped, and those that another workspace on this store has under way.
  #nextCallId(): string {
    for (;;) {
      this.#lastCall += 1
      const id = `call-${this.#lastCall}`
      if (this.#receipts.get(id) === undefined && !this.#receipts.isClaimed(id)) return id
    }
  }

  #isEnabled(tool: ToolName): boolean {
    if (READING_TOOLS.has(tool)) return true
    return tool === 'run_command' ? this.#policy.allowedCommands.length > 0 : this.#policy.allowWrites
  }

  #requireEnabled(tool: ToolName): void {
    if (this.#isEnabled(tool)) return
    const enabled = [...this.availableTools].join(', ')
    throw new AgentError('tool_disabled', `the tool ${tool} is not enabled; enabled: ${enabled}`)
  }
}

function requireAction(request: ToolRequest): ToolAction {
  if ('fault' in request) throw request.fault
  return request.action
}

function readCallId(toolCallId: unknown): string {
  if (typeof toolCallId === 'string' && toolCallId !== '') return toolCallId
  const message = `a tool call id must be a string that is not empty, not ${describeValue(toolCallId)}`
  throw new AgentError('invalid_action', message)
}
