import { describe, expect, it } from 'vitest'
import type { Entry } from '../../../inspector/page/model/entry.js'
import { Timeline } from '../../../inspector/page/model/timeline.js'
import type { WireEvent } from '../../../inspector/wire.js'
import { recordDemo, recordLongRun, recordStory } from './fixtures.js'

function toTimeline(events: readonly WireEvent[]): Timeline {
  const timeline = new Timeline()
  for (const event of events) timeline.append(event)
  return timeline
}

const timeline = toTimeline(await recordDemo())
const steps = timeline.entries.filter(({ kind }) => kind !== 'session')

const toLine = ({ title, cause, machine }: Entry): string =>
  [title, cause, ...(machine?.refused ?? []).map(({ guard }) => `✕${guard}`)].join(' | ')

describe('the timeline', () => {
  it('has an entry for each microstep, with what it took and what said no before', () => {
    const round = [
      'executeTool | callModel done | ✕isFinal | ✕isInvalidTooOften | ✕isInvalid | ✕isRepeatedTooOften',
      'appendObservation | executeTool done',
      'maybeCheckpoint.boundary | always',
    ]
    const refused = 'awaitModel | always | ✕boundaryReached | ✕stepLimitReached'
    expect(steps.map(toLine)).toEqual([
      'awaitModel | start',
      ...round,
      refused,
      ...round,
      refused,
      ...round,
      'maybeCheckpoint.saving | always [boundaryReached]',
      'done | saveCheckpoint done',
      'maybeCheckpoint.restored | restored, a fresh model',
      'awaitModel | resume',
      'done | callModel done [isFinal]',
    ])
  })

  it('knows when each entry was and how long it lasted', () => {
    for (const [index, { at, duration, machine }] of steps.entries()) {
      const next = steps[index + 1]
      const isLastOfAgent = next?.machine?.agent !== machine?.agent
      expect(duration).toBe(isLastOfAgent ? null : Number(next?.at) - at)
    }
  })

  it('tells what the session has to say, in its order', () => {
    expect(timeline.entries.filter(({ kind }) => kind === 'session').map(({ title }) => title)).toEqual([
      'approval asked for edit_file',
      'approved edit_file',
      'approved run_command',
      expect.stringMatching(/^checkpoint [0-9a-f]{4}…[0-9a-f]{4}$/),
      'model dropped, a fresh one restored',
      'prefix matches',
      'completed',
    ])
  })

  it('shows the session as it was at each entry', () => {
    const receipts = steps.map(({ session }) => session?.context.now.receipts.length)
    expect(receipts).toEqual([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2])
    expect(steps.map(({ session }) => session?.context.checkpoint !== null).indexOf(true)).toBe(14)
  })

  it('leaves out what it has already', async () => {
    const events = await recordDemo()
    expect(toTimeline([...events.slice(0, 20), ...events]).entries.map(toLine)).toEqual(timeline.entries.map(toLine))
  })

  it('grows by one entry at a time, whatever came before', async () => {
    const events = await recordLongRun(400)
    const started = performance.now()
    const { entries } = toTimeline(events)
    expect(entries.filter(({ kind }) => kind !== 'session')).toHaveLength(1 + 400 * 4 - 1 + 2)
    expect(performance.now() - started).toBeLessThan(1000)
  })

  it('says how much of a very long run was not kept, and goes on behind the gap', async () => {
    const events = await recordLongRun(6)
    const [session, start, ...rest] = events
    if (!session || !start) throw new Error('no events')
    const [first, ...kept] = rest.slice(12)
    if (!first) throw new Error('no events behind the gap')
    const { omitted, entries } = toTimeline([session, start, { ...first, omitted: 12 }, ...kept])
    expect(omitted).toBe(12)
    const last = entries.at(-1)?.machine
    expect(last?.agent.omittedMessages).toBeGreaterThan(0)
    expect(last?.agent.pairs.at(-1)).toMatchObject({ position: 12, step: 6 })
  })
})

describe('which of several transitions to one state was taken', () => {
  const tool = JSON.stringify({ tool: 'read_file', path: 'a.js' })
  it.each([
    ['isFinal', [JSON.stringify({ final: 'done' })], {}],
    ['isInvalidTooOften', ['no action', 'no action', 'no action'], {}],
    ['isRepeatedTooOften', [tool, tool, tool], {}],
    ['stepLimitReached', [tool], { maxSteps: 1 }],
    ['contextLimitReached', [tool], { maxContextChars: 1 }],
  ])('is told by the reason of the end: %s', async (guard, script, limits) => {
    const { entries } = toTimeline(await recordStory(script, limits))
    const end = entries.findLast(({ kind }) => kind !== 'session')
    expect(end?.title).toBe('done')
    expect(end?.machine?.transition?.guard ?? end?.cause).toBe(guard === 'contextLimitReached' ? 'start' : guard)
  })
})
