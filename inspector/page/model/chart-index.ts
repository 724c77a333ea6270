import type { ChartLayout, LaidOutState, LaidOutTransition } from '../../wire.js'

/** A laid out chart, with what is looked up in it for every microstep. */
export interface ChartIndex {
  readonly layout: ChartLayout
  readonly states: ReadonlyMap<string, LaidOutState>
  /** The transitions of each state, in their order. */
  readonly outgoing: ReadonlyMap<string, readonly LaidOutTransition[]>
  /** The one transition that a checkpoint goes through. */
  readonly gate: LaidOutTransition | null
}

const BOUNDARY_TAG = 'boundary'

export function indexChart(layout: ChartLayout): ChartIndex {
  const states = new Map(layout.states.map(state => [state.id, state]))
  const outgoing = new Map<string, LaidOutTransition[]>()
  for (const transition of [...layout.transitions].sort((a, b) => a.order - b.order)) {
    const siblings = outgoing.get(transition.source)
    if (siblings) siblings.push(transition)
    else outgoing.set(transition.source, [transition])
  }
  return { layout, states, outgoing, gate: findGate(layout, states) }
}

/** The one the server marks; else the first guarded eventless transition out of a state that is tagged as the boundary. */
function findGate(layout: ChartLayout, states: ReadonlyMap<string, LaidOutState>): LaidOutTransition | null {
  const marked = layout.transitions.find(({ isGate }) => isGate)
  if (marked) return marked
  const candidates = layout.transitions.filter(
    ({ event, guard, source }) => event === '' && guard !== null && states.get(source)?.tags.includes(BOUNDARY_TAG),
  )
  return candidates.sort((a, b) => a.order - b.order)[0] ?? null
}

/** Whether a state, or a state around it, carries the tag of the boundary. */
export function isBoundary(chart: ChartIndex | null, paths: readonly string[]): boolean {
  return paths.some(path => chart?.states.get(path)?.tags.includes(BOUNDARY_TAG))
}
