import type { ConfirmTool } from 'safepoint'

import type { ControlMessage } from '../../wire.js'
import { createMachineInspection } from '../wire/machine-inspection.js'
import { toWireError } from '../wire/wire-error.js'
import type { WireInspector } from '../wire/wire-inspector.js'
import { LiveRun } from './live-run.js'
import type { PreparedRun, PrepareRun, RunEnd } from './prepared-run.js'
import { createFailedFacts, type SessionFacts, toSessionSnapshot } from './session-snapshot.js'

/** How a session plays its runs. */
export interface SessionOptions {
  /** Whether the gate in front of the model is shut at first. */
  readonly startPaused: boolean
  /** Whether a run goes on from its boundary by itself. */
  readonly autoResume: boolean
  /** Whether a resumed run stops at its boundary again. */
  readonly stopsAgain: boolean
  /** Answers approvals in the place of a person. */
  readonly confirmTool: ConfirmTool | undefined
  readonly isControllable: boolean
}

/** The session: one run after another, each on the wire. */
export class RunSession {
  readonly #prepare: PrepareRun
  readonly #options: SessionOptions
  readonly #inspector: WireInspector
  readonly #log: (line: string) => void
  readonly #closing = new AbortController()
  #live: LiveRun | undefined
  #prepared: PreparedRun | undefined
  #playing: Promise<RunEnd> | undefined
  #disposed = Promise.resolve()
  #hasEnded = false
  #isAnnounced = false
  #hasFailedToWatch = false
  #runs = 0
  #approvals = 0

  constructor(prepare: PrepareRun, options: SessionOptions, inspector: WireInspector, log: (line: string) => void) {
    this.#prepare = prepare
    this.#options = options
    this.#inspector = inspector
    this.#log = log
  }

  /** Prepares a run and plays it to its end, whatever that is; one after another. Never rejects. */
  start(): Promise<RunEnd> {
    const before = this.#playing
    this.#hasEnded = false
    this.#playing = (async () => {
      await before
      await this.#dispose()
      const end = await this.#play()
      await this.#follow(end)
      return end
    })()
    return this.#playing
  }

  /** Does what a page asks for. What cannot be done now is left, with a line in the log. */
  control(message: ControlMessage): void {
    const refusal = message.type === 'runAgain' ? this.#runAgain() : this.#controlLive(message)
    if (refusal !== undefined) this.#log(`"${message.type}" had no effect: ${refusal}.`)
  }

  /** Ends what runs, waits for its end, and lets the run remove what it leaves. */
  async close(reason: unknown): Promise<void> {
    this.#closing.abort(reason)
    this.#live?.abort(reason)
    await this.#playing
    await this.#dispose()
  }

  async #play(): Promise<RunEnd> {
    this.#runs += 1
    const { signal } = this.#closing
    try {
      signal.throwIfAborted()
      this.#prepared = await this.#prepare(signal)
      const live = this.#createLive(this.#prepared)
      this.#live = live
      if (signal.aborted) live.abort(signal.reason)
      this.#publish('run.started', live.facts)
      return await live.play()
    } catch (error) {
      const end: RunEnd = { phase: signal.aborted && error === signal.reason ? 'aborted' : 'failed', error }
      this.#guard(() => this.#publish('run.ended', createFailedFacts(this.#runs, end)))
      return end
    } finally {
      this.#hasEnded = true
    }
  }

  #createLive(prepared: PreparedRun): LiveRun {
    const { startPaused, autoResume, stopsAgain, confirmTool } = this.#options
    const live: LiveRun = new LiveRun(prepared, {
      number: this.#runs,
      gate: startPaused ? 'shut' : 'open',
      autoResume,
      stopsAgain,
      confirmTool,
      takeApprovalId: () => ++this.#approvals,
      inspect: createMachineInspection(this.#inspector, {
        onAgent: sessionId => live.setAgent(sessionId),
        onObservation: () => live.countObservation(),
      }),
      onChange: what => this.#publish(what, live.facts),
      guard: watch => this.#guard(watch),
    })
    return live
  }

  #controlLive(message: Exclude<ControlMessage, { readonly type: 'runAgain' }>): string | undefined {
    return this.#live === undefined ? 'no run has begun' : this.#live.control(message)
  }

  #runAgain(): string | undefined {
    if (this.#closing.signal.aborted) return 'the inspector is closed'
    if (!this.#hasEnded) return 'the run has not ended'
    this.#live = undefined
    void this.start()
    return undefined
  }

  #publish(what: string, facts: SessionFacts): void {
    const snapshot = toSessionSnapshot(facts, this.#options.isControllable)
    if (this.#isAnnounced) this.#inspector.snapshot('session', snapshot, what)
    else this.#inspector.actor('session', snapshot)
    this.#isAnnounced = true
  }

  // What the inspector does while it watches must never be felt by the run, not even when it is wrong.
  #guard(watch: () => void): void {
    try {
      watch()
    } catch (thrown) {
      if (this.#hasFailedToWatch) return
      this.#hasFailedToWatch = true
      this.#log(`The inspector failed (${toWireError(thrown).message}); the run is not affected.`)
    }
  }

  async #follow(end: RunEnd): Promise<void> {
    try {
      await this.#prepared?.onEnd?.(end)
    } catch (thrown) {
      this.#log(`What was to follow the run failed: ${toWireError(thrown).message}`)
    }
  }

  /** Each run is removed once; whoever asks waits until it is. */
  #dispose(): Promise<void> {
    const prepared = this.#prepared
    const before = this.#disposed
    this.#prepared = undefined
    this.#disposed = (async () => {
      await before
      try {
        await prepared?.dispose?.()
      } catch (thrown) {
        this.#log(`What the run leaves behind could not be removed: ${toWireError(thrown).message}`)
      }
    })()
    return this.#disposed
  }
}
