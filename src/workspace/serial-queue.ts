const ABORTED = Symbol('aborted')

/** Takes tasks one after another; one that fails does not hold up the next. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve()

  /**
   * Runs a task when every earlier one has settled. A task whose signal is aborted while it waits is never started, and
   * the promise rejects at once with the signal's reason; a task that has been started is not hurried.
   */
  run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const earlier = this.#last
    const answer = untilAborted(earlier, signal).then(() => {
      signal?.throwIfAborted()
      return task()
    })
    // The earlier ones, too: a task that gave up waiting must not let the next one overtake the one that is running.
    // The values are dropped: each would keep the one before it, and so every answer there ever was.
    this.#last = Promise.allSettled([earlier, answer]).then(() => undefined)
    return answer
  }
}

/**
 * Waits for a promise, but no longer than until the signal is aborted: then it rejects with the signal's reason, and
 * what becomes of the promise is ignored.
 */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  let forget: (() => void) | undefined
  const aborted = new Promise<typeof ABORTED>(resolve => {
    const abort = (): void => resolve(ABORTED)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    forget = () => signal.removeEventListener('abort', abort)
  })
  try {
    const first = await Promise.race([promise, aborted])
    if (first === ABORTED) throw signal.reason
    return first
  } finally {
    forget?.()
  }
}
