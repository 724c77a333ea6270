/** Where the gate stands: `step` is open until one more observation has been appended. */
export type GateState = 'open' | 'shut' | 'step'

/** The gate in front of the model: while it is shut, the next model call waits for as long as it takes. */
export class ModelGate {
  readonly #onChange: (what: 'gate.moved' | 'model.waiting') => void
  readonly #waiting = new Set<() => void>()
  #state: GateState

  /** @param onChange - Called when the gate has moved, and when a model call begins to wait. */
  constructor(state: GateState, onChange: (what: 'gate.moved' | 'model.waiting') => void) {
    this.#state = state
    this.#onChange = onChange
  }

  get state(): GateState {
    return this.#state
  }

  /** Whether a model call waits in front of it. */
  get isWaitedFor(): boolean {
    return this.#waiting.size > 0
  }

  set(state: GateState): void {
    if (state === this.#state) return
    this.#state = state
    const waiting = state === 'shut' ? [] : [...this.#waiting]
    this.#waiting.clear()
    this.#onChange('gate.moved')
    for (const open of waiting) open()
  }

  /** One more observation has been appended: a gate that was opened for one step is shut again. */
  countObservation(): void {
    if (this.#state === 'step') this.set('shut')
  }

  /** `undefined` when the gate is open, else a promise that it opens; it rejects with the signal's reason. */
  pass(signal: AbortSignal): Promise<void> | undefined {
    if (this.#state !== 'shut') return undefined
    return new Promise((resolve, reject) => {
      const leave = (settle: () => void) => (): void => {
        signal.removeEventListener('abort', abort)
        this.#waiting.delete(open)
        settle()
      }
      const open = leave(resolve)
      const abort = leave(() => reject(signal.reason as Error))
      signal.addEventListener('abort', abort)
      this.#waiting.add(open)
      this.#onChange('model.waiting')
      if (signal.aborted) abort()
    })
  }
}
