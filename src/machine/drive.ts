import type { Actor } from 'xstate'

import type { AgentCheckpoint } from '../checkpoint/agent-checkpoint.js'
import type { agentMachine } from './agent-machine.js'
import type { AgentEvent, AgentRun } from './agent-run.js'
import { guardListener } from './listener.js'

/** What driving an actor needs of the caller's options. */
interface DriveOptions {
  readonly onEvent?: ((event: AgentEvent) => unknown) | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Starts an agent's actor and waits for its end. One signal stops it, whichever comes first: the caller's abort, with
 * its reason, or a listener that failed, with its error. The promise is settled before the actor is stopped, because a
 * stopped actor says nothing more.
 *
 * @param create - Makes the actor; it gets the signal that stops the run.
 * @returns The actor's output. Rejects with the actor's error, the caller's reason, or the listener's failure.
 */
export async function drive(
  options: DriveOptions,
  create: (signal: AbortSignal) => Actor<typeof agentMachine>,
): Promise<AgentRun | AgentCheckpoint> {
  options.signal?.throwIfAborted()
  const halt = new AbortController()
  const onAbort = (): void => halt.abort(options.signal?.reason)
  options.signal?.addEventListener('abort', onAbort)
  const listener = guardListener(options.onEvent ?? (() => undefined), halt.signal, error => halt.abort(error))
  const actor = create(halt.signal)
  try {
    return await new Promise((resolve, reject) => {
      halt.signal.addEventListener('abort', () => reject(halt.signal.reason))
      actor.on('interaction', ({ interaction }) => listener.announce(interaction))
      actor.subscribe({
        complete: () => {
          const { output } = actor.getSnapshot()
          void listener.settle().then(() => resolve(output as AgentRun | AgentCheckpoint))
        },
        error: reject,
      })
      actor.start()
      if (actor.getSnapshot().can({ type: 'resume' })) actor.send({ type: 'resume' })
    })
  } finally {
    options.signal?.removeEventListener('abort', onAbort)
    actor.stop()
  }
}
