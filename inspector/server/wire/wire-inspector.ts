import { createInspector, type StatelyInspectionEvent } from '@xstate/inspect'
import type { AnyActorRef } from 'xstate'

import type { AgentSnapshot, ChartLayout, SessionSnapshot } from '../../wire.js'
import type { RunStream, StreamedEvent } from '../stream/run-stream.js'

/** Every definition is sent whole: states may be nested deeper than the library's default of 10 levels shows. */
const DEFINITION_DEPTH = 32

/** Puts events on the wire, in the form of `@xstate/inspect`; every call is synchronous, so the order is the run's. */
export interface WireInspector {
  actor(actor: AnyActorRef | string, snapshot: AgentSnapshot | SessionSnapshot): void
  event(sessionId: string, type: string): void
  snapshot(sessionId: string, snapshot: AgentSnapshot | SessionSnapshot, type: string): void
}

/**
 * The inspector of `@xstate/inspect` over a stream. What is given to it must already be trimmed.
 *
 * @param findLayout - The layout of a definition, where there is one.
 */
export function createWireInspector(
  stream: RunStream,
  findLayout: (definition: string) => ChartLayout | undefined,
): WireInspector {
  const send = (event: StatelyInspectionEvent): void => {
    const layout = event.type === '@xstate.actor' && event.definition !== undefined && findLayout(event.definition)
    stream.append((layout ? { ...event, layout } : event) as unknown as StreamedEvent)
  }
  const inspector = createInspector({ send }, { serializationDepthLimit: DEFINITION_DEPTH })
  // The library's types ask for live snapshots; it passes on whatever it is given.
  const asSnapshot = (snapshot: AgentSnapshot | SessionSnapshot): never => snapshot as never
  return {
    actor: (actor, snapshot) => inspector.actor(actor as never, asSnapshot(snapshot)),
    event: (sessionId, type) => inspector.event(sessionId, { type }),
    snapshot: (sessionId, snapshot, type) => inspector.snapshot(sessionId, asSnapshot(snapshot), { event: { type } }),
  }
}

/** The definition that a machine sends about itself, as the inspector writes it. */
export function readDefinition(machine: { readonly config: unknown }): string | undefined {
  let definition: string | undefined
  const send = (event: StatelyInspectionEvent): void => {
    if (event.type === '@xstate.actor') definition = event.definition
  }
  const inspector = createInspector({ send }, { serializationDepthLimit: DEFINITION_DEPTH })
  inspector.actor({ sessionId: '', logic: machine } as never)
  return definition
}
