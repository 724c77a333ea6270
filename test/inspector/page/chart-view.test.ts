import { describe, expect, it } from 'vitest'
import { chartAt } from '../../../inspector/page/model/chart-view.js'
import type { Entry } from '../../../inspector/page/model/entry.js'
import { findBoundary, findState, isThroughGate } from '../../../inspector/page/model/jump.js'
import { Timeline } from '../../../inspector/page/model/timeline.js'
import { recordDemo } from './fixtures.js'

const timeline = new Timeline()
for (const event of await recordDemo()) timeline.append(event)
const { entries } = timeline
const chart = timeline.chart
if (chart === null) throw new Error('there is no chart')

const viewOf = (entry: Entry | undefined) => chartAt(chart, entry?.machine ?? null)
const inState = (leaf: string): readonly Entry[] =>
  entries.filter(({ kind, machine }) => kind !== 'session' && machine?.leaf === leaf)

describe('the chart at an instant', () => {
  it('lights the state with those around it', () => {
    expect([...viewOf(inState('maybeCheckpoint.boundary')[0]).current]).toEqual([
      'maybeCheckpoint',
      'maybeCheckpoint.boundary',
    ])
  })

  it('shows the transition that was just taken', () => {
    expect(viewOf(inState('appendObservation')[0]).taken).toMatchObject({ source: 'executeTool', guard: null })
  })

  it('shows an eventless guard as refused where the machine stays, never as taken', () => {
    const views = inState('awaitModel').map(viewOf)
    expect(views).toHaveLength(4)
    for (const { taken, refusals } of views) {
      expect(taken?.guard ?? null).toBeNull()
      expect(refusals.map(({ transition }) => transition.guard)).toContain('contextLimitReached')
    }
    expect(views[1]?.refusals.map(({ transition, reason }) => [transition.guard, reason])).toEqual([
      ['boundaryReached', '1 of 3 tool calls'],
      ['stepLimitReached', 'step 1 of 8'],
      ['contextLimitReached', expect.stringMatching(/^[\d,]+ of 48,000 characters$/)],
    ])
  })

  it('does not show a guard as refused before it was asked', () => {
    for (const entry of inState('maybeCheckpoint.boundary')) expect(viewOf(entry).refusals).toEqual([])
  })
})

describe('the gate', () => {
  it('is the guarded eventless transition out of the tagged state', () => {
    expect(chart.gate).toMatchObject({ source: 'maybeCheckpoint.boundary', guard: 'boundaryReached' })
  })

  it('says at each step whether it is open, and why', () => {
    const gates = entries
      .filter(({ kind }) => kind !== 'session')
      .map(entry => {
        const { isOpen, reason } = viewOf(entry).gate
        return `${entry.machine?.leaf}: ${isOpen ? 'open' : 'shut'}, ${reason}`
      })
    expect(gates).toEqual([
      'awaitModel: shut, 0 of 3 tool calls',
      'executeTool: shut, 0 of 3 tool calls',
      'appendObservation: shut, 1 of 3 tool calls',
      'maybeCheckpoint.boundary: shut, 1 of 3 tool calls',
      'awaitModel: shut, 1 of 3 tool calls',
      'executeTool: shut, 1 of 3 tool calls',
      'appendObservation: shut, 2 of 3 tool calls',
      'maybeCheckpoint.boundary: shut, 2 of 3 tool calls',
      'awaitModel: shut, 2 of 3 tool calls',
      'executeTool: shut, the observation is not appended yet',
      'appendObservation: shut, 3 of 3 tool calls',
      'maybeCheckpoint.boundary: open, 3 of 3 tool calls',
      'maybeCheckpoint.saving: open, 3 of 3 tool calls',
      'done: open, 3 of 3 tool calls',
      'maybeCheckpoint.restored: shut, no boundary in this run',
      'awaitModel: shut, no boundary in this run',
      'done: shut, no boundary in this run',
    ])
  })

  it('is shut before there is a machine', () => {
    expect(chartAt(chart, null).gate).toEqual({ isOpen: false, reason: 'the run has not begun' })
  })
})

describe('jumping', () => {
  it('to the boundary finds where the run stands with its checkpoint', () => {
    const entry = findBoundary(entries)
    expect(entry?.session?.phase).toBe('boundary')
    expect(entry?.session?.context.checkpoint).not.toBeNull()
  })

  it('to the boundary finds the step through the gate as long as there is no checkpoint', () => {
    const until = entries.findIndex(isThroughGate) + 1
    expect(findBoundary(entries.slice(0, until))?.title).toBe('maybeCheckpoint.saving')
    expect(findBoundary(entries.slice(0, until - 1))).toBeUndefined()
  })

  it('to a state goes back in time, and begins again from the end', () => {
    const places = inState('executeTool').map(({ n }) => n)
    expect(findState(entries, 'executeTool', entries.length)?.n).toBe(places[2])
    expect(findState(entries, 'executeTool', Number(places[1]))?.n).toBe(places[0])
    expect(findState(entries, 'executeTool', Number(places[0]))?.n).toBe(places[2])
  })
})
