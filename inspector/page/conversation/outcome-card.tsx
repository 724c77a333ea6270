import type { SessionState } from '../model/entry.js'
import { FoldedText } from './folded-text.js'

/** How the run ended. */
export function OutcomeCard({ session: { phase, context } }: { readonly session: SessionState }) {
  const { outcome, error } = context
  if (error && phase !== 'aborted') {
    return (
      <section class="outcome failed" aria-label="The run failed">
        <h3>
          The run failed <code>{error.code}</code>
        </h3>
        <p>{error.message}</p>
      </section>
    )
  }
  if (phase === 'aborted') {
    return (
      <section class="outcome aborted" aria-label="The run was aborted">
        <h3>The run was aborted</h3>
        <p>Nothing further is started. Effects that did complete keep their receipts.</p>
      </section>
    )
  }
  if (!outcome) return null
  return (
    <section class={`outcome ${phase}`} aria-label="The run has ended">
      <h3>
        The run has ended <code>{outcome.reason}</code>
      </h3>
      {outcome.final && <FoldedText content={outcome.final} />}
    </section>
  )
}
