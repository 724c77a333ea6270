import type { Entry } from '../model/entry.js'
import { formatDuration } from '../model/format.js'
import { classify } from '../model/lane.js'

export const ROW_HEIGHT = 22

interface Props {
  readonly entry: Entry
  /** Its place in the list, from 0. */
  readonly place: number
  readonly count: number
  readonly isChosen: boolean
  readonly onEntry: (n: number) => void
}

/** One step: when, where to, how it came about, what said no before it, and how long it lasted. */
export function EntryRow({ entry, place, count, isChosen, onEntry }: Props) {
  const { n, at, title, cause, kind, duration, machine } = entry
  const look = classify(entry)
  const refused = kind === 'session' ? 0 : (machine?.refused.length ?? 0)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list takes the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and names its active row
    <div
      id={`entry-${n}`}
      class={`entry ${kind}`}
      role="option"
      aria-selected={isChosen}
      aria-posinset={place + 1}
      aria-setsize={count}
      style={{ top: `${place * ROW_HEIGHT}px` }}
      onClick={() => onEntry(n)}
    >
      <span class="number">{n + 1}</span>
      <span class="at">{formatDuration(at)}</span>
      <i class={`kind ${look.kind} invoke-${look.invoke % 3}`} aria-hidden="true" />
      <span class="title">
        {title} {cause !== '' && <small>{cause}</small>}
      </span>
      {refused > 0 && (
        <span class="refused" title={machine?.refused.map(({ guard }) => guard).join(', ')}>
          ✕{refused}
        </span>
      )}
      <span class="lasted">{duration !== null && formatDuration(duration)}</span>
    </div>
  )
}
