import type { LaidOutState } from '../../wire.js'
import type { ChartIndex } from './chart-index.js'
import type { Entry } from './entry.js'

/** What an entry is in the lane: who the machine waits for, or that it only passes. */
export type LaneKind = 'waits' | 'passes' | 'boundary' | 'ends' | 'session'

/** One column of the lane: the entries from `first` to `last`, drawn as the weightiest of them. */
export interface Column {
  readonly first: number
  readonly last: number
  readonly kind: LaneKind
  /** At the boundary: whether the gate let the run through. */
  readonly isOpen: boolean
  /** For a state that waits: which of the chart's invokes it waits for, from 0. */
  readonly invoke: number
  /** 0 to 1, by the logarithm of the time. */
  readonly height: number
}

const MOST_COLUMNS = 320
const LONGEST = 60_000
const WEIGHTS: Readonly<Record<LaneKind, number>> = { passes: 0, boundary: 1, waits: 2, session: 3, ends: 4 }
const OPEN_GATE = 5

/** The run as columns, at most so many that they can be told apart. */
export function toColumns(entries: readonly Entry[]): readonly Column[] {
  const perColumn = Math.ceil(entries.length / MOST_COLUMNS)
  const columns: Column[] = []
  for (let first = 0; first < entries.length; first += perColumn) {
    const drawn = entries.slice(first, first + perColumn).map(toColumn)
    const heaviest = drawn.reduce((a, b) => (weigh(b) > weigh(a) ? b : a))
    const height = Math.max(...drawn.map(column => column.height))
    columns.push({ ...heaviest, first, last: first + drawn.length - 1, height })
  }
  return columns
}

function toColumn(entry: Entry): Column {
  const { kind, invoke } = classify(entry)
  const height = kind === 'waits' ? scale(entry.duration ?? 0) : kind === 'passes' ? 0.12 : 0.24
  const { machine } = entry
  const gate = machine?.agent.chart?.gate ?? null
  const isOpen = gate !== null && (machine?.next?.transition === gate || machine?.isThroughGate === true)
  return { first: entry.n, last: entry.n, kind, invoke, isOpen, height }
}

export function classify({ kind, machine }: Entry): { readonly kind: LaneKind; readonly invoke: number } {
  const chart = machine?.agent.chart
  if (kind === 'session' || !machine || !chart) return { kind: 'session', invoke: 0 }
  const states = machine.paths.flatMap(path => chart.states.get(path) ?? [])
  if (states.some(({ tags }) => tags.includes('boundary'))) return { kind: 'boundary', invoke: 0 }
  if (states.some(({ type }) => type === 'final')) return { kind: 'ends', invoke: 0 }
  const invoking = states.find(({ invokes }) => invokes.length > 0)
  if (invoking === undefined) return { kind: 'passes', invoke: 0 }
  return { kind: 'waits', invoke: listInvokes(chart).findIndex(({ state }) => state === invoking) }
}

/** The states that wait for a child, in the order of the chart, with its name. */
export function listInvokes({
  layout,
}: ChartIndex): readonly { readonly state: LaidOutState; readonly name: string }[] {
  return layout.states.flatMap(state => {
    const [name] = state.invokes
    return name === undefined ? [] : [{ state, name }]
  })
}

function weigh({ kind, isOpen }: Column): number {
  return kind === 'boundary' && isOpen ? OPEN_GATE : WEIGHTS[kind]
}

function scale(milliseconds: number): number {
  return 0.2 + 0.8 * Math.min(1, Math.log1p(milliseconds * 10) / Math.log1p(LONGEST * 10))
}
