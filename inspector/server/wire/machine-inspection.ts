import type { agentMachine } from 'safepoint'
import type { AnyActorRef, InspectionEvent, SnapshotFrom } from 'xstate'

import { AgentSnapshots } from './agent-snapshots.js'
import type { WireInspector } from './wire-inspector.js'

/** What the session wants to know at once, in the middle of a step. */
export interface InspectionListener {
  /** An agent's actor has come to be. */
  onAgent(sessionId: string): void
  /** A pair has been appended to the conversation. */
  onObservation(): void
}

/**
 * The one function that is given to XState as `inspect`. It forwards what concerns the agent's root machine, in its own
 * order: the actor, its events, and each microstep as a snapshot. Child actors are left out, and nothing live is sent.
 */
export function createMachineInspection(
  inspector: WireInspector,
  listener: InspectionListener,
): (event: InspectionEvent) => void {
  let snapshots: AgentSnapshots | undefined
  let last: unknown
  let messages = 0

  const announce = (actorRef: AnyActorRef): AgentSnapshots | undefined => {
    const fresh = new AgentSnapshots()
    const snapshot = actorRef.getSnapshot() as SnapshotFrom<typeof agentMachine>
    const trimmed = fresh.trim(snapshot)
    if (trimmed === undefined) return undefined
    messages = trimmed.context.messageCount
    inspector.actor(actorRef, trimmed)
    listener.onAgent(actorRef.sessionId)
    return fresh
  }

  return event => {
    const { actorRef } = event
    if (actorRef.sessionId !== event.rootId) return
    if (event.type === '@xstate.actor') {
      // Its snapshot cannot be read yet: the actor is announced with the first event that it is sent.
      snapshots = undefined
      last = undefined
    } else if (event.type === '@xstate.event') {
      snapshots ??= announce(actorRef as AnyActorRef)
      if (snapshots) inspector.event(actorRef.sessionId, event.event.type)
    } else if (event.type === '@xstate.microstep' || event.type === '@xstate.snapshot') {
      // XState reports the last microstep, and then the very same state once more as the snapshot.
      const isDouble = event.snapshot === last
      // A snapshot holds its model: it is not kept for longer than until its double has come.
      last = isDouble ? undefined : event.snapshot
      if (isDouble) return
      const trimmed = snapshots?.trim(event.snapshot as SnapshotFrom<typeof agentMachine>)
      if (trimmed === undefined) return
      inspector.snapshot(actorRef.sessionId, trimmed, event.event.type)
      if (trimmed.context.messageCount > messages) listener.onObservation()
      messages = trimmed.context.messageCount
    }
  }
}
