import { useMemo } from 'preact/hooks'

import type { Entry } from '../model/entry.js'
import { formatDuration } from '../model/format.js'
import { isThroughGate } from '../model/jump.js'
import { toColumns } from '../model/lane.js'
import type { Cursor } from '../view/use-cursor.js'

interface Props {
  readonly entries: readonly Entry[]
  readonly cursor: Cursor
  /** The entries that were found; `null` when nothing is searched for. */
  readonly found: readonly Entry[] | null
}

const HEIGHT = 56

/** The run as a row of columns, one for each entry, with a slider over it. */
export function Lane({ entries, cursor, found }: Props) {
  const count = entries.length
  const last = entries.at(-1)?.duration
  const columns = useMemo(() => toColumns(entries), [entries, count, last])
  const marks = useMemo(() => findMarks(entries), [entries, count])
  const isFound = useMemo(() => found && new Set(found.map(({ n }) => n)), [found])
  const n = cursor.entry?.n ?? 0
  return (
    <div class="lane">
      <svg viewBox={`0 0 ${Math.max(count, 1)} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {columns.map(({ first, last: end, kind, invoke, isOpen, height }) => {
          const isDim = isFound !== null && !range(first, end).some(at => isFound.has(at))
          const classes = `${kind} invoke-${invoke % 3}${isOpen ? ' open' : ''}${isDim ? ' dim' : ''}${first > n ? ' later' : ''}`
          const tall = kind === 'boundary' ? HEIGHT - 8 : Math.max(5, height * (HEIGHT - 8))
          const width = end - first + 1
          return (
            <rect
              key={first}
              class={classes}
              x={first + 0.08}
              y={HEIGHT - 4 - tall}
              width={width * 0.84}
              height={tall}
            />
          )
        })}
      </svg>
      {marks.map(({ at, name }) => (
        <span
          key={`${at} ${name}`}
          class={`mark ${name}${at / count > 0.8 ? ' flipped' : ''}`}
          style={{ left: `${(100 * at) / count}%` }}
          aria-hidden="true"
        >
          {name === 'resume' ? 'fresh model' : name}
        </span>
      ))}
      <span class="now" style={{ left: `${(100 * (n + 0.5)) / Math.max(count, 1)}%` }} aria-hidden="true" />
      <input
        type="range"
        aria-label="Entry"
        min={0}
        max={Math.max(count - 1, 0)}
        value={n}
        aria-valuetext={describe(cursor.entry, count)}
        onInput={event => cursor.goTo(Number(event.currentTarget.value))}
      />
    </div>
  )
}

interface Mark {
  readonly at: number
  readonly name: 'gate' | 'resume' | 'run'
}

/** Where the gate was passed, and where another model began. */
function findMarks(entries: readonly Entry[]): readonly Mark[] {
  return entries.flatMap((entry): readonly Mark[] => {
    if (isThroughGate(entry)) return [{ at: entry.n, name: 'gate' }]
    if (entry.kind !== 'start' || entry.machine?.agent.ordinal === 1) return []
    return [{ at: entry.n, name: entry.machine?.agent.restoredPairs ? 'resume' : 'run' }]
  })
}

function describe(entry: Entry | null, count: number): string {
  return entry ? `${entry.n + 1} of ${count}, ${entry.title}, ${formatDuration(entry.at)} after the start` : 'none'
}

function range(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}
