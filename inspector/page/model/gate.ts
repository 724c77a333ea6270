import type { ChartIndex } from './chart-index.js'
import type { AgentContext, MachineState } from './entry.js'

/** The gate of the boundary at an instant. */
export interface GateView {
  readonly isOpen: boolean
  readonly reason: string
}

/** Whether the gate is open, and why it is or is not. */
export function gateAt(chart: ChartIndex, machine: MachineState | null): GateView {
  if (machine === null) return { isOpen: false, reason: 'the run has not begun' }
  const { context } = machine
  if (machine.isThroughGate || isAboutToOpen(chart, machine)) return { isOpen: true, reason: countCalls(context) }
  return { isOpen: false, reason: explainShut(context) }
}

// In front of the gate, the step that follows tells; as long as there is none, the count does.
function isAboutToOpen({ gate }: ChartIndex, { paths, next, context }: MachineState): boolean {
  if (gate === null || !paths.includes(gate.source)) return false
  if (next !== null) return next.transition === gate
  return gate.guard === 'boundaryReached' && context.toolCalls === context.afterToolCalls
}

function explainShut(context: AgentContext): string {
  if (context.afterToolCalls === null) return 'no boundary in this run'
  const isToolRunning = context.decision?.action.kind === 'tool'
  if (isToolRunning && context.toolCalls + 1 === context.afterToolCalls) return 'the observation is not appended yet'
  return countCalls(context)
}

function countCalls({ toolCalls, afterToolCalls }: AgentContext): string {
  return `${toolCalls} of ${afterToolCalls} tool calls`
}
