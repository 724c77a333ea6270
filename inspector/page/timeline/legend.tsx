import type { ChartIndex } from '../model/chart-index.js'
import { listInvokes } from '../model/lane.js'

/** What the colours of the lane stand for: whom the machine waits for, and the boundary. */
export function Legend({ chart }: { readonly chart: ChartIndex | null }) {
  if (chart === null) return null
  return (
    <ul class="legend" aria-label="Colours">
      {listInvokes(chart)
        .slice(0, 3)
        .map(({ name }, index) => (
          <li key={name}>
            <i class={`kind waits invoke-${index}`} /> {name}
          </li>
        ))}
      <li>
        <i class="kind boundary" /> boundary
      </li>
    </ul>
  )
}
