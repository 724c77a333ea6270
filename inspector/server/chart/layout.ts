import type { ELK, ElkExtendedEdge, ElkNode } from 'elkjs'

import type { ChartLayout, LaidOutState, LaidOutTransition } from '../../wire.js'
import { type Chart, readChart } from './definition.js'
import { lineOf, toElkGraph } from './elk-graph.js'

/**
 * Lays out the chart of any machine from the definition that it sends. The layout library is loaded by the first call.
 *
 * @throws SyntaxError when the definition is not JSON; Error when the library finds no layout.
 */
export async function layoutChart(definition: string): Promise<ChartLayout> {
  const chart = readChart(definition)
  const elk = await loadElk()
  const laidOut = await elk.layout(toElkGraph(chart))
  return toLayout(chart, laidOut)
}

let loading: Promise<ELK> | undefined

function loadElk(): Promise<ELK> {
  loading ??= import('elkjs').then(({ default: Elk }) => new (Elk as unknown as new () => ELK)())
  return loading
}

function toLayout(chart: Chart, root: ElkNode): ChartLayout {
  const nodes = new Map(listNodes(root).map(node => [node.id, node]))
  const edges = new Map((root.edges ?? []).map(edge => [edge.id, edge]))
  return {
    width: round(root.width ?? 0),
    height: round(root.height ?? 0),
    states: chart.states.map((state): LaidOutState => {
      const { x = 0, y = 0, width = 0, height = 0 } = nodes.get(state.id) ?? {}
      return { ...state, x: round(x), y: round(y), width: round(width), height: round(height) }
    }),
    transitions: chart.transitions.map((transition): LaidOutTransition => {
      const edge = edges.get(lineOf(transition))
      return { ...transition, points: readPoints(edge), label: readLabel(edge, transition.id) }
    }),
  }
}

function listNodes(node: ElkNode): readonly ElkNode[] {
  return (node.children ?? []).flatMap(child => [child, ...listNodes(child)])
}

function readPoints(edge: ElkExtendedEdge | undefined): LaidOutTransition['points'] {
  const points = (edge?.sections ?? []).flatMap(({ startPoint, bendPoints = [], endPoint }) =>
    [startPoint, ...bendPoints, endPoint].map(({ x, y }) => ({ x: round(x), y: round(y) })),
  )
  return straighten(points)
}

// Where a line crosses the border of a state around it, the library rounds to whole pixels: it bends by half a one.
function straighten(points: { x: number; y: number }[]): LaidOutTransition['points'] {
  for (const [index, point] of points.slice(1).entries()) {
    const before = points[index]
    if (before && Math.abs(before.x - point.x) <= 1) point.x = before.x
    if (before && Math.abs(before.y - point.y) <= 1) point.y = before.y
  }
  const isCorner = ({ x, y }: { x: number; y: number }, index: number): boolean => {
    const [before, after] = [points[index - 1], points[index + 1]]
    return !before || !after || !((before.x === x && x === after.x) || (before.y === y && y === after.y))
  }
  return points.filter(isCorner)
}

function readLabel(edge: ElkExtendedEdge | undefined, id: string): LaidOutTransition['label'] {
  const label = edge?.labels?.find(item => item.id === id)
  if (label === undefined) return null
  const { text = '', x = 0, y = 0, width = 0, height = 0 } = label
  return { text, x: round(x), y: round(y), width: round(width), height: round(height) }
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
