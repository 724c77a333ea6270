/** Lets so many through at once, and so many a second after that. */
export class RateLimit {
  readonly #burst: number
  readonly #perSecond: number
  #left: number
  #at = performance.now()

  constructor(burst: number, perSecond: number) {
    this.#burst = burst
    this.#perSecond = perSecond
    this.#left = burst
  }

  /** Whether one more may pass now. */
  take(): boolean {
    const now = performance.now()
    this.#left = Math.min(this.#burst, this.#left + ((now - this.#at) / 1_000) * this.#perSecond)
    this.#at = now
    if (this.#left < 1) return false
    this.#left -= 1
    return true
  }
}
