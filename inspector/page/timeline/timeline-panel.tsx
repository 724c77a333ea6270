import type { RefObject } from 'preact'
import { useMemo, useState } from 'preact/hooks'

import { filterEntries } from '../model/filter.js'
import { countOf, formatDuration } from '../model/format.js'
import type { Timeline } from '../model/timeline.js'
import type { Cursor } from '../view/use-cursor.js'
import { EntryList } from './entry-list.js'
import { Lane } from './lane.js'
import { Legend } from './legend.js'
import { PastBanner } from './past-banner.js'
import { Transport } from './transport.js'

interface Props {
  readonly timeline: Timeline
  readonly cursor: Cursor
  readonly filter: RefObject<HTMLInputElement | null>
}

/** Every microstep of the run: as a lane to scrub in, and as a list to search in. */
export function TimelinePanel({ timeline, cursor, filter }: Props) {
  const { entries, omitted } = timeline
  const [query, setQuery] = useState('')
  const count = entries.length
  const found = useMemo(() => filterEntries(entries, query), [entries, count, query])
  const isFiltered = found.length < count
  return (
    <section id="timeline" class="timeline" aria-labelledby="timeline-title">
      <PastBanner cursor={cursor} />
      <div class="timeline-left">
        <div class="timeline-bar">
          <h2 id="timeline-title">Timeline</h2>
          <Legend chart={cursor.entry?.machine?.agent.chart ?? null} />
          <Transport cursor={cursor} />
        </div>
        <Lane entries={entries} cursor={cursor} found={isFiltered ? found : null} />
      </div>
      <div class="timeline-right">
        <div class="timeline-bar">
          <input
            ref={filter}
            type="search"
            class="filter"
            aria-label="Find steps"
            placeholder="find a step, an event, a guard"
            value={query}
            onInput={event => setQuery(event.currentTarget.value)}
            onKeyDown={event => {
              if (event.key !== 'Escape') return
              if (query !== '') setQuery('')
              else event.currentTarget.blur()
            }}
          />
          <span class="timeline-size">
            {isFiltered ? `${found.length} of ${count}` : countOf(count, 'entry', 'entries')} ·{' '}
            {formatDuration(entries.at(-1)?.at ?? 0)}
            {omitted > 0 && ` · ${countOf(omitted, 'earlier event')} not kept`}
          </span>
        </div>
        <EntryList entries={found} chosen={cursor.entry?.n ?? -1} onEntry={cursor.goTo} />
      </div>
    </section>
  )
}
