import type { LaidOutTransition } from '../../wire.js'
import { type ChartIndex, isBoundary } from './chart-index.js'
import type { MachineState } from './entry.js'
import { type GateView, gateAt } from './gate.js'
import { explainRefusal } from './guard-reason.js'
import { canStay, guardedExits } from './transitions.js'

/** A guard that said no, and why. */
export interface Refusal {
  readonly transition: LaidOutTransition
  readonly reason: string
}

/** What of the chart is lit at an instant. */
export interface ChartView {
  readonly current: ReadonlySet<string>
  /** Whether the machine stands at the boundary. */
  readonly isAtBoundary: boolean
  readonly taken: LaidOutTransition | null
  readonly refusals: readonly Refusal[]
  readonly gate: GateView
}

export function chartAt(chart: ChartIndex, machine: MachineState | null): ChartView {
  const paths = machine?.paths ?? []
  const gate = gateAt(chart, machine)
  const isAtBoundary = isBoundary(chart, paths)
  const taken = machine?.transition ?? null
  const refused = machine ? [...new Set([...machine.refused, ...standing(chart, machine)])] : []
  const refusals = refused.map(transition => ({
    transition,
    reason: machine ? explainRefusal(transition.guard, machine.context) : '',
  }))
  return { current: new Set(paths), isAtBoundary, taken, refusals, gate }
}

/** The guards that say no because the machine stays where it is, as the step that follows shows. */
function standing(chart: ChartIndex, { paths, next }: MachineState): readonly LaidOutTransition[] {
  const stays = next === null ? canStay(chart, paths) : next.transition?.event !== ''
  return stays ? guardedExits(chart, paths) : []
}
