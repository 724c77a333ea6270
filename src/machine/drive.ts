import type { Actor } from 'xstate'

import type { AgentCheckpoint } from '../checkpoint/agent-checkpoint.js'
import { AgentError } from '../errors.js'
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
  let actor: Actor<typeof agentMachine> | undefined
  try {
    const created = create(halt.signal)
    actor = created
    return await new Promise((resolve, reject) => {
      // Creating the actor reads the workspace and tells the inspector: either may have aborted the run.
      halt.signal.throwIfAborted()
      halt.signal.addEventListener('abort', () => reject(halt.signal.reason))
      created.on('interaction', ({ interaction }) => listener.announce(interaction))
      created.subscribe({
        complete: () => {
          const { status, output } = created.getSnapshot()
          if (status !== 'done' || output === undefined) return reject(interfered(undefined))
          void listener.settle().then(() => resolve(output))
        },
        error: (error: unknown) => reject(error instanceof AgentError ? error : interfered(error)),
      })
      created.start()
      if (created.getSnapshot().can({ type: 'resume' })) created.send({ type: 'resume' })
    })
  } finally {
    options.signal?.removeEventListener('abort', onAbort)
    actor?.stop()
  }
}

// Nothing of ours stops the actor before its end, or sends it an error that is not an `AgentError`: an inspector has.
function interfered(cause: unknown): AgentError {
  return new AgentError('run_stopped', 'The actor of the run was stopped from outside; let an inspector only look.', {
    cause,
  })
}
