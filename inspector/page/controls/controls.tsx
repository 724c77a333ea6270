import type { ControlMessage, Phase } from '../../wire.js'
import type { SessionState } from '../model/entry.js'

interface Props {
  readonly session: SessionState
  readonly isConnected: boolean
  readonly send: (message: ControlMessage) => void
}

const ENDED: readonly Phase[] = ['completed', 'aborted', 'failed']

/** What a person can do with the live run, whatever instant the page shows. */
export function Controls({ session: { phase, context }, isConnected, send }: Props) {
  if (!context.controllable) return null
  const button = (label: string, type: 'pause' | 'continue' | 'step' | 'abort', isEnabled: boolean, title: string) => (
    <button type="button" title={title} disabled={!isConnected || !isEnabled} onClick={() => send({ type })}>
      {label}
    </button>
  )
  if (ENDED.includes(phase)) {
    return (
      <button type="button" class="main" disabled={!isConnected} onClick={() => send({ type: 'runAgain' })}>
        Run again
      </button>
    )
  }
  const isMoving = phase !== 'boundary'
  const isShut = context.modelGate === 'shut'
  return (
    <>
      {isMoving && context.modelGate === 'open' && button('Pause', 'pause', true, 'Stop before the next model call')}
      {isMoving &&
        context.modelGate !== 'open' &&
        button('Continue', 'continue', true, 'Let the model be called again')}
      {isMoving && button('Step', 'step', isShut, 'Go on until one more observation is appended')}
      {phase === 'boundary' && (
        <button type="button" class="main" disabled={!isConnected} onClick={() => send({ type: 'resume' })}>
          Drop the model and resume with a fresh one
        </button>
      )}
      {button('Abort', 'abort', true, 'End the run here and now')}
    </>
  )
}
