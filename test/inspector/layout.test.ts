import { agentMachine } from 'safepoint'
import { beforeAll, describe, expect, test } from 'vitest'

import { readChart } from '../../inspector/server/chart/definition.js'
import { layoutChart } from '../../inspector/server/chart/layout.js'
import { readDefinition } from '../../inspector/server/wire/wire-inspector.js'
import { type ChartLayout, GATE_SIZE, type LaidOutState } from '../../inspector/wire.js'

const definition = String(readDefinition(agentMachine))

interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const doOverlap = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
const isInside = (a: Box, b: Box): boolean =>
  a.x >= b.x && a.y >= b.y && a.x + a.width <= b.x + b.width && a.y + a.height <= b.y + b.height

function findState(layout: ChartLayout, id: string): LaidOutState {
  const state = layout.states.find(candidate => candidate.id === id)
  if (state === undefined) throw new Error(`there is no state ${id}`)
  return state
}

/** What is wrong with a layout, as sentences: it must hold for every machine. */
function findFaults({ width, height, states, transitions }: ChartLayout): string[] {
  const faults: string[] = []
  const chart = { x: 0, y: 0, width, height }
  const byId = new Map(states.map(state => [state.id, state]))
  for (const state of states) {
    const around = state.parent === null ? chart : byId.get(state.parent)
    if (!around || !isInside(state, around)) faults.push(`${state.id} is not inside ${state.parent ?? 'the chart'}`)
    for (const other of states) {
      if (other.id > state.id && other.parent === state.parent && doOverlap(state, other)) {
        faults.push(`${state.id} overlaps ${other.id}`)
      }
    }
  }
  const labels = transitions.flatMap(({ id, label }) => (label ? [{ id, ...label }] : []))
  for (const label of labels) {
    if (!isInside(label, chart)) faults.push(`the label of ${label.id} is outside`)
    for (const other of labels)
      if (other.id > label.id && doOverlap(label, other)) faults.push(`${label.id} overlaps ${other.id}`)
    for (const state of states)
      if (state.type !== 'compound' && doOverlap(label, state)) faults.push(`${label.id} overlaps ${state.id}`)
  }
  for (const { id, points, source, target } of transitions) {
    const [from, to] = [byId.get(source), byId.get(target)]
    if (points.length < 2 || !from || !to) faults.push(`${id} has no line`)
    else {
      for (const [point, state] of [
        [points[0], from],
        [points.at(-1), to],
      ] as const) {
        const isAtEdge =
          point &&
          isInside(
            { ...point, width: 0, height: 0 },
            { x: state.x - 1, y: state.y - 1, width: state.width + 2, height: state.height + 2 },
          )
        if (!isAtEdge) faults.push(`${id} does not touch ${state.id}`)
      }
      for (const [index, point] of points.slice(1).entries()) {
        const before = points[index]
        if (before && before.x !== point.x && before.y !== point.y) faults.push(`${id} is not orthogonal`)
      }
    }
  }
  return faults
}

describe('the chart of the agent', () => {
  let layout: ChartLayout

  beforeAll(async () => {
    layout = await layoutChart(definition)
  })

  test('has every state and every transition of the definition, the eventless ones included', () => {
    expect(layout.states.map(state => state.id).sort()).toEqual([
      'appendObservation',
      'awaitModel',
      'done',
      'executeTool',
      'maybeCheckpoint',
      'maybeCheckpoint.boundary',
      'maybeCheckpoint.restored',
      'maybeCheckpoint.saving',
    ])
    const arrows = layout.transitions.map(
      ({ source, target, event, guard, order }) => `${source} → ${target}: ${event} ${guard ?? '-'} ${order}`,
    )
    expect(arrows.sort()).toEqual([
      'appendObservation → maybeCheckpoint:  - 0',
      'awaitModel → appendObservation: xstate.done.actor.callModel isInvalid 2',
      'awaitModel → done:  contextLimitReached 0',
      'awaitModel → done: xstate.done.actor.callModel isFinal 0',
      'awaitModel → done: xstate.done.actor.callModel isInvalidTooOften 1',
      'awaitModel → done: xstate.done.actor.callModel isRepeatedTooOften 3',
      'awaitModel → executeTool: xstate.done.actor.callModel - 4',
      'executeTool → appendObservation: xstate.done.actor.executeTool - 0',
      'maybeCheckpoint.boundary → awaitModel:  - 2',
      'maybeCheckpoint.boundary → done:  stepLimitReached 1',
      'maybeCheckpoint.boundary → maybeCheckpoint.saving:  boundaryReached 0',
      'maybeCheckpoint.restored → awaitModel: resume - 0',
      'maybeCheckpoint.saving → done: xstate.done.actor.saveCheckpoint - 0',
    ])
  })

  test('has what the page shows of a state', () => {
    expect(findState(layout, 'maybeCheckpoint.boundary')).toMatchObject({
      key: 'boundary',
      parent: 'maybeCheckpoint',
      tags: ['boundary'],
      type: 'atomic',
      isInitial: true,
    })
    expect(findState(layout, 'awaitModel')).toMatchObject({ invokes: ['callModel'], isInitial: true, parent: null })
    expect(findState(layout, 'done').type).toBe('final')
    expect(findState(layout, 'executeTool').description).toContain('The tool runs')
  })

  test('has one gate, with the room that the page needs for it', () => {
    const gates = layout.transitions.filter(transition => transition.isGate)
    expect(gates.map(({ guard, label }) => [guard, label?.width, label?.height])).toEqual([
      ['boundaryReached', GATE_SIZE.width, GATE_SIZE.height],
    ])
  })

  test('has no overlaps, and every line goes from its state to its state', () => {
    expect(findFaults(layout)).toEqual([])
  })

  test('begins on top, ends at the bottom, and fits beside a conversation', () => {
    const y = (id: string): number => findState(layout, id).y
    const way = ['awaitModel', 'executeTool', 'appendObservation', 'maybeCheckpoint', 'done'].map(y)
    expect(way).toEqual([...way].sort((a, b) => a - b))
    expect(layout.width).toBeLessThan(660)
    expect(layout.height).toBeLessThan(640)
  })
})

describe('the chart of another machine', () => {
  test('shows a sixth state, where the machine passes it', async () => {
    const config = JSON.parse(definition) as { states: Record<string, { always?: unknown; onDone?: unknown }> }
    config.states.appendObservation = { always: 'reviewObservation' }
    config.states.reviewObservation = {
      always: [{ guard: 'isHarmless', target: 'maybeCheckpoint' }, { target: 'done' }],
    }
    const layout = await layoutChart(JSON.stringify(config))
    const sixth = findState(layout, 'reviewObservation')
    expect(sixth.y).toBeGreaterThan(findState(layout, 'appendObservation').y)
    expect(sixth.y).toBeLessThan(findState(layout, 'maybeCheckpoint').y)
    expect(findFaults(layout)).toEqual([])
  })

  test('may be nested deeply, name its targets in every way, and lead to itself', async () => {
    const layout = await layoutChart(
      JSON.stringify({
        id: 'other.machine',
        initial: 'a',
        states: {
          a: {
            on: {
              GO: '#other.machine.b.c',
              SELF: 'a',
              NAMED: '#special',
              NOWHERE: {},
              BOTH: ['a', { target: 'b', guard: 'g' }],
            },
          },
          b: {
            initial: 'c',
            onDone: 'z',
            states: {
              c: {
                initial: 'd',
                on: { IN: '.e', UP: 'f' },
                states: { d: { on: { NEXT: 'e' } }, e: { id: 'special' } },
              },
              f: { type: 'final', after: { 1000: 'c' } },
            },
          },
          z: { type: 'final' },
        },
      }),
    )
    const arrows = layout.transitions.map(({ source, target, event }) => `${source} → ${target}: ${event}`)
    expect(arrows.sort()).toEqual([
      'a → a: BOTH',
      'a → a: SELF',
      'a → b.c.e: NAMED',
      'a → b.c: GO',
      'a → b: BOTH',
      'b → z: xstate.done.state.b',
      'b.c → b.c.e: IN',
      'b.c → b.f: UP',
      'b.c.d → b.c.e: NEXT',
      'b.f → b.c: xstate.after.1000',
    ])
    expect(layout.states.map(state => state.id).sort()).toEqual(['a', 'b', 'b.c', 'b.c.d', 'b.c.e', 'b.f', 'z'])
  })

  test.for(['{}', '{"states":null}', '[]', '1', '{"states":{"a":null,"b":{"on":5,"always":[null],"invoke":["x"]}}}'])(
    'that is none is an empty chart, or one without arrows: %s',
    text => {
      expect(readChart(text).transitions).toEqual([])
    },
  )
})
