import type { Tally } from '../../wire.js'
import { FoldedText } from '../conversation/folded-text.js'
import { shortId } from '../model/format.js'

const SHOWN = 50

/** Each effect with its receipt; those that were there at the boundary are marked. */
export function Receipts({ atBoundary, now }: { readonly atBoundary: Tally | null; readonly now: Tally }) {
  if (now.receipts.length === 0) return null
  const kept = new Set(atBoundary?.receipts.map(({ receiptId }) => receiptId))
  return (
    <ul class="receipts" aria-label="Receipts">
      {now.receipts.slice(-SHOWN).map(({ receiptId, toolCallId, tool, exitState, result }) => (
        <li key={receiptId}>
          <details>
            <summary>
              <b class={exitState}>{tool}</b> {toolCallId}{' '}
              <code class="receipt-id" title={receiptId}>
                {shortId(receiptId)}
              </code>
              {atBoundary && (
                <span class={kept.has(receiptId) ? 'kept' : 'since'}>{kept.has(receiptId) ? '✓ saved' : 'since'}</span>
              )}
            </summary>
            <FoldedText content={result} />
          </details>
        </li>
      ))}
    </ul>
  )
}
