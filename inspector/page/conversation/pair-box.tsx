import type { Pair } from '../model/agent-track.js'
import { toObservation } from '../model/fold.js'
import { FoldedText } from './folded-text.js'

interface Props {
  readonly pair: Pair
  readonly isNewest: boolean
  /** Whether it came out of the checkpoint rather than from this model. */
  readonly isRestored: boolean
  readonly onEntry: (n: number) => void
}

/** A request and its observation: they joined the conversation together and are bracketed together. */
export function PairBox({ pair, isNewest, isRestored, onEntry }: Props) {
  const { entry, action, request, observation, step } = pair
  const result = observation && toObservation(observation.content)
  const isError = result?.text.startsWith('error:') === true
  const classes = ['pair', isNewest && 'newest', isRestored && 'restored', isError && 'faulty']
    .filter(Boolean)
    .join(' ')
  return (
    <article class={classes} data-pair={pair.index}>
      <header>
        <span class="who">assistant{step !== null && ` · step ${step}`}</span>
        {action && <span class={`tool ${action.kind}`}>{action.kind === 'invalid' ? 'invalid' : action.name}</span>}
        {isRestored && <span class="from">restored</span>}
        {entry !== null && (
          <button type="button" class="to-entry" onClick={() => onEntry(entry)} title="Go to the step that appended it">
            <span class="hidden">Go to entry </span>#{entry + 1}
          </button>
        )}
      </header>
      <FoldedText content={request.content} />
      <div class="half">
        <span class="who">observation</span>
        {result && <FoldedText content={result} />}
      </div>
    </article>
  )
}
