import type { ElkExtendedEdge, ElkLabel, ElkNode } from 'elkjs'

import { GATE_SIZE } from '../../wire.js'
import type { Chart, ChartState, ChartTransition } from './definition.js'
import { labelTransition } from './label.js'
import { orderStates } from './model-order.js'
import { measureText } from './text-size.js'

// The sizes that the page draws by, in CSS pixels; `wire.ts` names them.
const KEY_FONT = 14
const LABEL_FONT = 11
const LABEL_LINE = 14
const STATE_HEIGHT = 32

const LAYOUT_OPTIONS: Readonly<Record<string, string>> = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  // Everything in the coordinates of the whole chart, not of the state around it.
  'elk.json.shapeCoords': 'ROOT',
  'elk.json.edgeCoords': 'ROOT',
  // The first state stands on top, and what leads back in a run leads up in the picture.
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  'elk.layered.cycleBreaking.strategy': 'MODEL_ORDER',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
  'elk.layered.edgeLabels.sideSelection': 'ALWAYS_DOWN',
  'elk.padding': '[top=8,left=8,bottom=8,right=8]',
  'elk.spacing.nodeNode': '16',
  'elk.spacing.edgeNode': '14',
  'elk.spacing.edgeEdge': '12',
  'elk.spacing.edgeLabel': '4',
  'elk.spacing.labelLabel': '2',
  'elk.layered.spacing.nodeNodeBetweenLayers': '12',
  'elk.layered.spacing.edgeNodeBetweenLayers': '8',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '8',
}

// The line goes through the gate, not past it.
const ON_THE_LINE = { 'elk.edgeLabels.inline': 'true' }

/**
 * What the layout library is given: nested nodes with their sizes, and the arrows with the sizes of their labels.
 * Arrows between the same two states are one line with a label each, or a state with many ways out would be very wide.
 */
export function toElkGraph(chart: Chart): ElkNode {
  return {
    id: '',
    layoutOptions: { ...LAYOUT_OPTIONS },
    children: nest(orderStates(chart), null),
    edges: [...groupTransitions(chart.transitions)].map(([id, transitions]) => toEdge(id, transitions)),
  }
}

/** The id of the line that a transition is drawn along. */
export function lineOf({ source, target }: Pick<ChartTransition, 'source' | 'target'>): string {
  return `${source}→${target}`
}

function groupTransitions(transitions: readonly ChartTransition[]): ReadonlyMap<string, readonly ChartTransition[]> {
  const groups = new Map<string, ChartTransition[]>()
  for (const transition of transitions) {
    const line = lineOf(transition)
    groups.set(line, [...(groups.get(line) ?? []), transition])
  }
  return groups
}

function toEdge(id: string, transitions: readonly ChartTransition[]): ElkExtendedEdge {
  const { source, target } = transitions[0] as ChartTransition
  return {
    id,
    sources: [source],
    targets: [target],
    labels: transitions.flatMap((transition, index) => toLabel(transition, transitions[index - 1])),
  }
}

function nest(states: readonly ChartState[], parent: string | null): ElkNode[] {
  return states
    .filter(state => state.parent === parent)
    .map(state => {
      const width = measureText(state.key, KEY_FONT) + 28
      if (state.type !== 'compound') return { id: state.id, width, height: STATE_HEIGHT }
      const padding = `[top=${STATE_HEIGHT},left=12,bottom=10,right=12]`
      return { id: state.id, layoutOptions: { 'elk.padding': padding }, children: nest(states, state.id) }
    })
}

function toLabel(transition: ChartTransition, above?: ChartTransition): ElkLabel[] {
  const lines = labelTransition(transition, above)
  if (lines.length === 0) return []
  if (transition.isGate)
    return [{ id: transition.id, text: lines.join('\n'), ...GATE_SIZE, layoutOptions: ON_THE_LINE }]
  const width = Math.max(...lines.map(line => measureText(line, LABEL_FONT))) + 8
  return [{ id: transition.id, text: lines.join('\n'), width, height: lines.length * LABEL_LINE }]
}
