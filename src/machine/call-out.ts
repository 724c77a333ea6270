import { AgentError, type AgentErrorCode, describeThrown } from '../errors.js'

/** A call to a collaborator, as its failure names it. */
export interface CallSite {
  readonly code: AgentErrorCode
  /** What is called, and when: `model.generate at step 3`. */
  readonly name: string
}

/**
 * Calls a collaborator so that an abort ends the wait at once, even if the call never settles; a late answer is ignored.
 *
 * @param signals - Either one ends the wait; the call gets a signal of its own that follows both.
 * @returns A promise of the answer. It rejects with the reason of an aborted signal as it is, and with an `AgentError`
 * whose `cause` is the very value thrown when the call throws or rejects. With a signal already aborted, nothing is
 * called.
 */
export function callOut<T>(
  site: CallSite,
  signals: readonly (AbortSignal | undefined)[],
  call: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  const { promise, resolve, reject } = createDeferred<T>()
  const follower = new AbortController()
  const watched = signals.filter(signal => signal !== undefined)
  const onAbort = (event: Event): void => {
    const { reason } = event.target as AbortSignal
    follower.abort(reason)
    reject(reason)
  }
  const release = (): void => {
    for (const signal of watched) signal.removeEventListener('abort', onAbort)
  }
  const aborted = watched.find(signal => signal.aborted)
  if (aborted !== undefined) {
    reject(aborted.reason)
    return promise
  }
  for (const signal of watched) signal.addEventListener('abort', onAbort)
  const fail = (thrown: unknown): void => {
    const message = `${site.name} failed (${describeThrown(thrown)}); the thrown value is in "cause".`
    reject(follower.signal.aborted ? follower.signal.reason : new AgentError(site.code, message, { cause: thrown }))
  }
  try {
    Promise.resolve(call(follower.signal)).then(resolve, fail)
  } catch (thrown) {
    fail(thrown)
  }
  return promise.finally(release)
}

interface Deferred<T> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
  readonly reject: (reason: unknown) => void
}

function createDeferred<T>(): Deferred<T> {
  let resolve!: (value: T) => void
  let reject!: (reason: unknown) => void
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  return { promise, resolve, reject }
}
