/** The stop at the boundary: the run stands until it is told to resume, for as long as it takes. */
export class BoundaryStop {
  #resume: (() => void) | undefined

  get isStanding(): boolean {
    return this.#resume !== undefined
  }

  /** Resolves when the run is told to resume; rejects with the signal's reason. */
  async stand(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    let abort: (() => void) | undefined
    try {
      await new Promise<void>((resolve, reject) => {
        this.#resume = resolve
        abort = () => reject(signal.reason as Error)
        signal.addEventListener('abort', abort)
      })
    } finally {
      this.#resume = undefined
      if (abort) signal.removeEventListener('abort', abort)
    }
  }

  /** Whether there was somebody to tell. */
  resume(): boolean {
    const resume = this.#resume
    this.#resume = undefined
    resume?.()
    return resume !== undefined
  }
}
