import type { SessionState } from '../model/entry.js'
import { gatherEvidence } from '../model/evidence.js'
import { ScrollRegion } from '../view/scroll-region.js'
import { Files } from './files.js'
import { Receipts } from './receipts.js'

/** What was counted at the boundary and after the resume, and what of it may be seen by hand. */
export function EvidencePanel({ session }: { readonly session: SessionState | null }) {
  const context = session?.context
  const evidence = context && gatherEvidence(context)
  return (
    <section id="evidence" class="panel evidence" aria-labelledby="evidence-title">
      <h2 id="evidence-title">The evidence</h2>
      <ScrollRegion class="scroller" name="Counts, receipts and files">
        {evidence && (
          <p class={`verdict ${evidence.verdict.state}`}>
            {evidence.verdict.state === 'holds' && '✓ '}
            {evidence.verdict.text}
          </p>
        )}
        {evidence && (
          <table class="facts">
            <thead>
              <tr>
                <td />
                <th scope="col">{context.atBoundary ? 'boundary' : 'so far'}</th>
                <th scope="col">resumed</th>
              </tr>
            </thead>
            <tbody>
              {evidence.rows.map(({ name, before, now, state }) => (
                <tr key={name} class={state}>
                  <th scope="row">{name}</th>
                  <td>{before}</td>
                  <td>
                    {now ?? '–'}
                    {state === 'same' && <b title="the same"> ✓</b>}
                    {state === 'new' && <b title="more, by new actions"> +</b>}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        {context && <Receipts atBoundary={context.atBoundary} now={context.now} />}
        {context && <Files files={context.files} />}
      </ScrollRegion>
    </section>
  )
}
