import type { LaidOutTransition } from '../../wire.js'
import type { ChartIndex } from './chart-index.js'

/** One microstep as the wire tells it. */
export interface Move {
  readonly from: readonly string[]
  readonly to: readonly string[]
  /** The event that it may have been taken for; `null` when only an eventless transition can have been. */
  readonly event: string | null
  /** Why the run ended, when it has. */
  readonly reason: string | null
}

/** Of transitions that only their guards tell apart, the reason that the run ended for says which it was. */
const GUARD_OF_REASON: Readonly<Record<string, string>> = {
  completed: 'isFinal',
  step_limit: 'stepLimitReached',
  context_limit: 'contextLimitReached',
  invalid_action_limit: 'isInvalidTooOften',
  repeated_action_limit: 'isRepeatedTooOften',
}

/** The transition that a microstep took, as far as the chart tells; `null` when it has none that fits. */
export function findTaken(chart: ChartIndex, move: Move): LaidOutTransition | null {
  const possible = move.from.toReversed().flatMap(source => chart.outgoing.get(source) ?? [])
  const fitting = possible.filter(({ target }) => move.to.includes(target))
  // The nearest target is the one that was named: a child rather than the state around it.
  fitting.sort((a, b) => b.target.length - a.target.length)
  const forEvent = move.event === null ? [] : fitting.filter(({ event }) => event === move.event || event === '*')
  const candidates = forEvent.length > 0 ? forEvent : fitting.filter(({ event }) => event === '')
  const guard = move.reason === null ? undefined : GUARD_OF_REASON[move.reason]
  return candidates.find(candidate => candidate.guard === guard) ?? candidates[0] ?? null
}

/** The guards that had to say no before a transition was taken. */
export function refusedBefore(chart: ChartIndex, taken: LaidOutTransition): readonly LaidOutTransition[] {
  const siblings = chart.outgoing.get(taken.source) ?? []
  return siblings.filter(({ event, guard, order }) => event === taken.event && guard !== null && order < taken.order)
}

/** The eventless transitions that say no while the machine stays in a state. */
export function guardedExits(chart: ChartIndex, paths: readonly string[]): readonly LaidOutTransition[] {
  return eventless(chart, paths).filter(({ guard }) => guard !== null)
}

/** Whether the machine can stay in a state: no eventless transition leads out of it whatever its guards say. */
export function canStay(chart: ChartIndex, paths: readonly string[]): boolean {
  return eventless(chart, paths).every(({ guard }) => guard !== null)
}

function eventless(chart: ChartIndex, paths: readonly string[]): readonly LaidOutTransition[] {
  return paths.flatMap(path => chart.outgoing.get(path) ?? []).filter(({ event }) => event === '')
}
