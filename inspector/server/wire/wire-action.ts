import type { AgentAction } from 'safepoint'

import type { WireAction } from '../../wire.js'
import { cutText } from './cut-text.js'

/** An action is shown more than once: when it is decided, and with its result. */
const known = new WeakMap<AgentAction, WireAction>()

/** An action for the wire; for a response that is none, the response itself. */
export function toWireAction(action: AgentAction | null, response: string): WireAction {
  if (action === null) return { kind: 'invalid', name: 'invalid', json: cutText(response) }
  const wire = known.get(action) ?? describe(action)
  known.set(action, wire)
  return wire
}

function describe(action: AgentAction): WireAction {
  if (action.kind === 'final') return { kind: 'final', name: 'final', json: cutText(JSON.stringify(action.final)) }
  return { kind: 'tool', name: action.tool, json: cutText(JSON.stringify(action.arguments)) }
}
