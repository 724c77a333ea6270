import { AgentError, describeThrown } from '../errors.js'
import type { AgentEvent } from './agent-run.js'

/** Calls a listener with an event, and answers once it is known that nothing it was called for has failed so far. */
export interface GuardedListener {
  readonly announce: (event: AgentEvent) => void
  /** Lets the promises that have rejected already say so; does not wait for those that are still open. */
  readonly settle: () => Promise<void>
}

/**
 * A listener behind a guard. XState turns what a listener of an emitted event throws into an uncaught exception and goes
 * on; here the first failure, a throw or the rejection of a returned promise, is handed to `onFailure` as an
 * `AgentError` (`listener_failed`), and the listener is not called again. A promise that rejects after the run is over
 * has nobody left to tell: it becomes an unhandled rejection, as it would have without the guard.
 */
export function guardListener(
  listener: (event: AgentEvent) => unknown,
  halted: AbortSignal,
  onFailure: (error: AgentError) => void,
): GuardedListener {
  let open = 0
  let isOver = false
  const fail = (cause: unknown): void => {
    const message = `onEvent failed (${describeThrown(cause)}); the thrown value is in "cause".`
    const error = new AgentError('listener_failed', message, { cause })
    if (isOver) throw error
    onFailure(error)
  }
  const follow = async (returned: unknown): Promise<void> => {
    open += 1
    try {
      await returned
    } catch (cause) {
      fail(cause)
    } finally {
      open -= 1
    }
  }
  return {
    announce: event => {
      if (halted.aborted) return
      try {
        const returned = listener(event)
        if (returned !== undefined) void follow(returned)
      } catch (cause) {
        fail(cause)
      }
    },
    settle: async () => {
      // One turn of the event loop is enough for a promise that has rejected already.
      if (open > 0) await new Promise(resolve => setTimeout(resolve, 0))
      isOver = true
    },
  }
}
