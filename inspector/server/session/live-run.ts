import type { AgentCheckpoint, CheckpointableModel, ConfirmTool, Message, ReceiptStore, ToolAction } from 'safepoint'
import type { InspectionEvent } from 'xstate'

import type { ControlMessage } from '../../wire.js'
import { toWireModel } from '../wire/wire-model.js'
import { readAnswer } from './approval-answer.js'
import { ApprovalDesk } from './approval-desk.js'
import { BoundaryStop } from './boundary-stop.js'
import { ChangedFiles } from './changed-files.js'
import { Evidence } from './evidence.js'
import { type GateState, ModelGate } from './model-gate.js'
import { playRun } from './play-run.js'
import type { PreparedRun, RunEnd } from './prepared-run.js'
import { isSavedPrefix } from './saved-prefix.js'
import { type SessionFacts, toWireCheckpoint } from './session-snapshot.js'
import { watchModel } from './watched-model.js'
import { watchWorkspace } from './watched-workspace.js'

/** What a run needs of its surroundings. */
export interface LiveRunOptions {
  readonly number: number
  readonly gate: GateState
  readonly autoResume: boolean
  readonly stopsAgain: boolean
  /** Answers in the place of a person. */
  readonly confirmTool: ConfirmTool | undefined
  readonly takeApprovalId: () => number
  readonly inspect: (event: InspectionEvent) => void
  /** Called with each change, named. */
  readonly onChange: (what: string) => void
  /** Runs what only watches the run: whatever goes wrong in it is logged, and goes no further. */
  readonly guard: (watch: () => void) => void
}

type KeptFacts = Pick<SessionFacts, 'agent' | 'approvals' | 'checkpoint' | 'restored' | 'atBoundary' | 'end'>

const MOST_APPROVALS = 32

/** One run under inspection: it is played, watched and controlled here. */
export class LiveRun {
  readonly #prepared: PreparedRun
  readonly #options: LiveRunOptions
  readonly #abort = new AbortController()
  readonly #gate: ModelGate
  readonly #desk: ApprovalDesk
  readonly #stop = new BoundaryStop()
  readonly #files: ChangedFiles
  readonly #evidence: Evidence
  #receipts: ReceiptStore | undefined
  /** Whether an approval was asked for in the execution that runs. */
  #wasAsked = false
  #facts: KeptFacts = {
    agent: null,
    approvals: [],
    checkpoint: null,
    restored: null,
    atBoundary: null,
    end: null,
  }

  constructor(prepared: PreparedRun, options: LiveRunOptions) {
    this.#prepared = prepared
    this.#options = options
    this.#gate = new ModelGate(options.gate, what => this.#tell(what))
    this.#desk = new ApprovalDesk(options.takeApprovalId, () => this.#tell('approval.asked'))
    this.#files = new ChangedFiles(prepared.root)
    this.#evidence = new Evidence(() => this.#receipts)
  }

  get hasEnded(): boolean {
    return this.#facts.end !== null
  }

  /** What it is now, for the session's snapshot. */
  get facts(): SessionFacts {
    const { agent, approvals, checkpoint, restored, atBoundary, end } = this.#facts
    return {
      agent,
      approvals,
      checkpoint,
      restored,
      atBoundary,
      end,
      task: this.#prepared.task,
      run: this.#options.number,
      modelGate: this.#gate.state,
      pending: this.#desk.pending,
      now: this.#evidence.tally(),
      files: this.#files.shown,
      isModelWaiting: this.#gate.isWaitedFor,
      isAtBoundary: this.#stop.isStanding,
    }
  }

  /** An agent's actor has come to be, and is the one that runs. */
  setAgent(sessionId: string): void {
    this.#set('agent.started', { agent: sessionId })
  }

  countObservation(): void {
    this.#gate.countObservation()
  }

  /** Ends the run at once; its promise rejects with the reason. */
  abort(reason: unknown): void {
    this.#abort.abort(reason)
    this.#desk.clear()
  }

  /** Does what a page asks for; answers why it cannot be done, where it cannot. */
  control(message: Exclude<ControlMessage, { readonly type: 'runAgain' }>): string | undefined {
    if (this.hasEnded) return 'the run has ended'
    switch (message.type) {
      case 'pause':
        this.#gate.set('shut')
        return undefined
      case 'continue':
        this.#gate.set('open')
        return undefined
      case 'step':
        this.#gate.set('step')
        return undefined
      case 'resume':
        return this.#stop.resume() ? undefined : 'the run does not stand at its boundary'
      case 'approve':
        return this.#desk.answer(message.id, true) ? undefined : 'no effect of that number waits'
      case 'deny': {
        const { id, reason = '' } = message
        return this.#desk.answer(id, { approved: false, reason }) ? undefined : 'no effect of that number waits'
      }
      case 'abort':
        this.abort(new Error('the run was aborted in the inspector'))
        return undefined
    }
  }

  /** Plays the run to its end, whatever that is. Never rejects. */
  async play(): Promise<RunEnd> {
    const end = await this.#play()
    this.#desk.clear()
    await this.#files.refresh()
    this.#set('run.ended', { end })
    return end
  }

  async #play(): Promise<RunEnd> {
    const prepared = this.#prepared
    const { signal } = this.#abort
    try {
      const { workspace, receipts } = prepared.createWorkspace(action => this.#confirm(action))
      this.#receipts = receipts
      const run = await playRun({
        prepared,
        workspace: watchWorkspace(workspace, {
          onExecute: action => this.#evidence.countExecution(action),
          onExecuted: () => this.#options.guard(() => this.#afterExecution()),
        }),
        options: { limits: prepared.limits, onEvent: prepared.onEvent, inspect: this.#inspect(), signal },
        stopsAgain: this.#options.stopsAgain,
        createModel: from => this.#createModel(from),
        stand: checkpoint => this.#stand(checkpoint),
      })
      return { phase: 'completed', run }
    } catch (error) {
      return { phase: signal.aborted && error === signal.reason ? 'aborted' : 'failed', error }
    }
  }

  #inspect(): (event: InspectionEvent) => void {
    const { inspect: other } = this.#prepared
    const { guard, inspect } = this.#options
    return event => {
      guard(() => inspect(event))
      if (typeof other === 'function') return other(event)
      return other?.next?.(event)
    }
  }

  #createModel(from: AgentCheckpoint | null): CheckpointableModel {
    const model = this.#prepared.createModel()
    if (from !== null) this.#options.guard(() => this.#prepared.onFreshModel?.(model))
    let isFirst = from !== null
    return watchModel(model, this.#gate, {
      onRestored: snapshot =>
        this.#options.guard(() =>
          this.#set('model.restored', { restored: { model: toWireModel(snapshot), prefixMatches: null } }),
        ),
      onGenerate: messages => {
        if (!isFirst) return
        isFirst = false
        this.#options.guard(() => this.#checkPrefix(messages, from))
      },
    })
  }

  #checkPrefix(messages: readonly Message[], checkpoint: AgentCheckpoint | null): void {
    const { restored } = this.#facts
    if (restored === null || checkpoint === null) return
    this.#set('prefix.compared', { restored: { ...restored, prefixMatches: isSavedPrefix(messages, checkpoint) } })
  }

  async #stand(checkpoint: AgentCheckpoint): Promise<void> {
    await this.#files.refresh()
    this.#options.guard(() => this.#prepared.onCheckpoint?.(checkpoint))
    const standing = this.#stop.stand(this.#abort.signal)
    this.#set('boundary.reached', {
      checkpoint: toWireCheckpoint(checkpoint),
      restored: null,
      atBoundary: this.#evidence.tally(),
    })
    if (this.#options.autoResume) this.#stop.resume()
    await standing
    this.#tell('run.resumed')
  }

  async #confirm(action: ToolAction): Promise<Awaited<ReturnType<ConfirmTool>>> {
    this.#evidence.countApproval()
    this.#wasAsked = true
    const change = await this.#files.foresee(action)
    this.#abort.signal.throwIfAborted()
    const { confirmTool } = this.#options
    const answer = await (confirmTool ? confirmTool(action) : this.#desk.ask(action, change))
    // The run is over: what is answered now has no effect, and was no answer.
    if (this.#abort.signal.aborted) return answer
    this.#options.guard(() => {
      const approvals = [...this.#facts.approvals, { tool: action.tool, ...readAnswer(answer) }]
      this.#set('approval.answered', { approvals: approvals.slice(-MOST_APPROVALS) })
    })
    return answer
  }

  #afterExecution(): void {
    this.#tell('tool.answered')
    if (!this.#wasAsked) return
    this.#wasAsked = false
    void this.#files.refresh().then(isChanged => isChanged && !this.hasEnded && this.#tell('files.changed'))
  }

  #set(what: string, change: Partial<KeptFacts>): void {
    this.#facts = { ...this.#facts, ...change }
    this.#tell(what)
  }

  #tell(what: string): void {
    this.#options.guard(() => this.#options.onChange(what))
  }
}
