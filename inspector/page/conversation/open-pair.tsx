import type { PendingApproval } from '../../wire.js'
import type { AgentContext } from '../model/entry.js'
import { FoldedText } from './folded-text.js'

interface Props {
  readonly decision: NonNullable<AgentContext['decision']>
  readonly step: number
  readonly pending: PendingApproval | null
}

/** Half a pair: what was asked for, and nothing yet of what came of it. The conversation does not have it. */
export function OpenPair({ decision, step, pending }: Props) {
  return (
    <article class="pair open">
      <header>
        <span class="who">assistant · step {step}</span>
        <span class={`tool ${decision.action.kind}`}>{decision.action.name}</span>
      </header>
      <FoldedText content={decision.response} />
      <div class="half">
        <span class="who">observation</span>
        <p class="waiting">
          {pending ? 'not yet: it waits for an answer' : 'not yet: the tool runs'}
          <span class="dots" aria-hidden="true">
            <i />
            <i />
            <i />
          </span>
        </p>
      </div>
    </article>
  )
}
