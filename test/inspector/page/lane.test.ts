import { describe, expect, it } from 'vitest'
import { filterEntries } from '../../../inspector/page/model/filter.js'
import { toColumns } from '../../../inspector/page/model/lane.js'
import { Timeline } from '../../../inspector/page/model/timeline.js'
import type { WireEvent } from '../../../inspector/wire.js'
import { recordDemo, recordLongRun } from './fixtures.js'

function readEntries(events: readonly WireEvent[]) {
  const timeline = new Timeline()
  for (const event of events) timeline.append(event)
  return timeline.entries
}

const entries = readEntries(await recordDemo())

describe('the lane', () => {
  it('has a column for each entry of a short run', () => {
    const columns = toColumns(entries)
    expect(columns.map(({ first, last }) => [first, last])).toEqual(entries.map(({ n }) => [n, n]))
    expect(columns.slice(0, 5).map(({ kind }) => kind)).toEqual(['waits', 'waits', 'passes', 'boundary', 'waits'])
  })

  it('tells a boundary that was passed by from the one that was taken', () => {
    const boundaries = toColumns(entries).filter(
      ({ kind, first }) => kind === 'boundary' && entries[first]?.cause === 'always',
    )
    expect(boundaries.map(({ isOpen }) => isOpen)).toEqual([false, false, true])
  })

  it('is higher the longer it took', () => {
    const [model, tool] = toColumns(entries)
    expect(model?.height).toBeGreaterThan(Number(tool?.height))
  })

  it('has few columns for a long run, and every entry in one of them', async () => {
    const long = readEntries(await recordLongRun(300))
    const columns = toColumns(long)
    expect(columns.length).toBeLessThanOrEqual(320)
    expect(columns.at(-1)?.last).toBe(long.length - 1)
    expect(toColumns([])).toEqual([])
  })
})

describe('the filter', () => {
  const titles = (query: string): readonly string[] => filterEntries(entries, query).map(({ title }) => title)

  it('finds states, events, guards and words of the session', () => {
    expect(titles('saving')).toEqual(['maybeCheckpoint.saving'])
    expect(titles('done.actor.executeTool')).toEqual(Array(3).fill('appendObservation'))
    expect(titles('refused boundaryReached')).toEqual(['awaitModel', 'awaitModel'])
    expect(titles('APPROVED')).toEqual(['approved edit_file', 'approved run_command'])
  })

  it('finds everything by nothing, and nothing by nonsense', () => {
    expect(filterEntries(entries, '  ')).toHaveLength(entries.length)
    expect(titles('nonsense')).toEqual([])
  })
})
