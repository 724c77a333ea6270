import { useLayoutEffect, useRef, useState } from 'preact/hooks'

import type { Entry } from '../model/entry.js'
import { EntryRow, ROW_HEIGHT } from './entry-row.js'

interface Props {
  readonly entries: readonly Entry[]
  /** The number of the entry that is shown. */
  readonly chosen: number
  readonly onEntry: (n: number) => void
}

const BEYOND = 6

/** The entries as a list. Only the rows that can be seen are in the document, however many there are. */
export function EntryList({ entries, chosen, onEntry }: Props) {
  const list = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const height = list.current?.clientHeight ?? 140
  const first = Math.max(0, Math.floor(top / ROW_HEIGHT) - BEYOND)
  const last = Math.min(entries.length, Math.ceil((top + height) / ROW_HEIGHT) + BEYOND)
  const place = entries.findIndex(({ n }) => n === chosen)

  useLayoutEffect(() => {
    const element = list.current
    if (element === null || place === -1) return
    const y = place * ROW_HEIGHT
    if (y < element.scrollTop) element.scrollTop = y
    const bottom = y + ROW_HEIGHT - element.clientHeight
    if (bottom > element.scrollTop) element.scrollTop = bottom
  }, [place])

  const choose = (index: number): void => {
    const entry = entries[Math.max(0, Math.min(index, entries.length - 1))]
    if (entry) onEntry(entry.n)
  }
  const moves: Readonly<Record<string, number>> = {
    ArrowUp: place - 1,
    ArrowDown: place + 1,
    ArrowLeft: place - 1,
    ArrowRight: place + 1,
    Home: 0,
    End: entries.length - 1,
  }
  return (
    <div
      ref={list}
      class="entries"
      role="listbox"
      aria-label="Steps"
      tabIndex={0}
      aria-activedescendant={place >= first && place < last ? `entry-${chosen}` : undefined}
      onScroll={event => setTop(event.currentTarget.scrollTop)}
      onKeyDown={event => {
        const to = moves[event.key]
        if (to === undefined) return
        event.preventDefault()
        choose(to)
      }}
    >
      <div role="presentation" style={{ height: `${entries.length * ROW_HEIGHT}px` }}>
        {entries.slice(first, last).map((entry, index) => (
          <EntryRow
            key={entry.n}
            entry={entry}
            place={first + index}
            count={entries.length}
            isChosen={entry.n === chosen}
            onEntry={onEntry}
          />
        ))}
      </div>
    </div>
  )
}
