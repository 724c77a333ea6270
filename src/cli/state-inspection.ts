import type { InspectionEvent, SnapshotFrom } from 'xstate'

import type { AgentAction, AgentEvent, agentMachine } from '../index.js'

/** What a step of the machine shows: in this order, when it is there. */
export type MachineStep =
  | { readonly type: 'action'; readonly action: AgentAction }
  | { readonly type: 'interaction'; readonly interaction: AgentEvent }
  | {
      readonly type: 'state'
      /** The path from the root: `maybeCheckpoint.boundary`. */
      readonly state: string
      readonly toolCalls: number
      readonly afterToolCalls: number | null
    }

/**
 * An inspect function that tells a run in its own order: what the model asks for before its tool is run, what came of it
 * before it joins the conversation, each state as it is entered, the first one and the eventless ones included. (The
 * events of `onEvent` come after the whole step that they belong to.)
 */
export function inspectSteps(listener: (step: MachineStep) => void): (event: InspectionEvent) => void {
  let recorded = 0
  return event => {
    const isStart = event.type === '@xstate.snapshot' && event.event.type === 'xstate.init'
    if (event.type !== '@xstate.microstep' && !isStart) return
    if (event.actorRef.sessionId !== event.rootId) return
    const { value, context } = event.snapshot as SnapshotFrom<typeof agentMachine>
    const state = toPath(value)
    const action = context.decision?.action
    if (isStart) recorded = 0
    if (state === 'executeTool' && action) listener({ type: 'action', action })
    const interaction = context.events.last()
    if (context.events.length > recorded && interaction) listener({ type: 'interaction', interaction })
    recorded = context.events.length
    listener({ type: 'state', state, toolCalls: context.toolCalls, afterToolCalls: context.afterToolCalls })
  }
}

function toPath(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([key, child]) => `${key}.${toPath(child)}`)
    .join(' ')
}
