import type { ChartView } from '../model/chart-view.js'
import type { MachineState } from '../model/entry.js'
import { formatEvent } from '../model/format.js'

interface TakenProps {
  readonly view: ChartView
  readonly machine: MachineState | null
}

/** The transition that was just taken, in words. */
export function Taken({ view: { taken }, machine }: TakenProps) {
  if (machine === null) return null
  if (taken === null) return <p class="took">starts in {machine.leaf}</p>
  return (
    <p class="took">
      {lastKey(taken.source)} → {lastKey(taken.target)}{' '}
      <em>
        {taken.event === '' ? 'always' : formatEvent(taken.event)}
        {taken.guard && ` [${taken.guard}]`}
      </em>
    </p>
  )
}

/** Each guard that said no, with its reason. */
export function Refusals({ view: { refusals } }: { readonly view: ChartView }) {
  if (refusals.length === 0) return <p class="caption-none">No guard was refused.</p>
  return (
    <ul class="refusals" aria-label="Refused guards">
      {refusals.map(({ transition, reason }) => (
        <li key={transition.id}>
          <b aria-hidden="true">✕</b> <s>{transition.guard}</s> <i>{reason}</i>
        </li>
      ))}
    </ul>
  )
}

function lastKey(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1)
}
