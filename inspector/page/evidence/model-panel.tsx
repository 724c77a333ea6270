import type { WireModelSnapshot } from '../../wire.js'
import type { SessionState } from '../model/entry.js'
import { formatCount } from '../model/format.js'
import { PrefixBars } from './prefix-bars.js'

/** What the model saved of itself, and what the fresh one restored. */
export function ModelPanel({ session }: { readonly session: SessionState | null }) {
  const saved = session?.context.checkpoint?.model ?? null
  const restored = session?.context.restored ?? null
  return (
    <section id="model" class="panel model" aria-labelledby="model-title">
      <h2 id="model-title">The model’s snapshot</h2>
      {saved === null ? (
        <p class="nothing">Taken at the boundary: position, next response, cached prefix.</p>
      ) : (
        <>
          <table class="facts">
            <thead>
              <tr>
                <td />
                <th scope="col" class="of-saved">
                  saved
                </th>
                <th scope="col" class="of-restored">
                  restored
                </th>
              </tr>
            </thead>
            <tbody>
              {FACTS.map(([name, read]) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td>{read(saved)}</td>
                  <td>{restored ? read(restored.model) : '–'}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <PrefixBars saved={saved} restored={restored?.model ?? null} />
          <PrefixMatch matches={restored ? restored.prefixMatches : undefined} />
        </>
      )}
    </section>
  )
}

const FACTS: readonly (readonly [name: string, read: (model: WireModelSnapshot) => string])[] = [
  ['position, in messages', ({ conversationPosition }) => formatCount(conversationPosition)],
  ['next response', ({ responseIndex }) => formatCount(responseIndex)],
  ['cached token ids', ({ cachedTokenCount }) => formatCount(cachedTokenCount)],
  [
    'layers × offset',
    ({ layerOffsets, layerCount = layerOffsets.length }) => `${layerCount} × ${layerOffsets[0] ?? 0}`,
  ],
]

/** Whether the first input of the fresh model was the saved prefix; `undefined` before there is one. */
function PrefixMatch({ matches }: { readonly matches: boolean | null | undefined }) {
  if (matches === undefined) return <p class="match">All that is needed: the model can be dropped.</p>
  if (matches === null) return <p class="match">Restored; its first input is still to come.</p>
  return matches ? (
    <p class="match yes">✓ the prefix matches the first input</p>
  ) : (
    <p class="match no">✕ the first input was not the saved prefix</p>
  )
}
