/**
 * What goes over the wire between the inspector's server and its page, in one place for both.
 *
 * The stream is that of `@xstate/inspect`: `@xstate.actor`, `@xstate.event`, `@xstate.snapshot`, one JSON object a
 * message, the whole run so far first for a page that connects late. Two kinds of actor are on it: the agent's root
 * machine (a new one, with a new `sessionId`, for each start and each resume), and one actor `session` whose snapshots
 * carry what the machine does not know: approvals, receipts, the checkpoint, what the person may do next.
 *
 * A page opens two sockets, `/events` and `/control`, both with `?token=…&page=…`: the token of its own URL, and a random
 * name that it gives itself. When one of the two ends, the server ends the other, and the page connects anew.
 *
 * A page that lost its connection gets the whole stream again, from index 0. The stream that is kept is bounded: of a very
 * long run the oldest events are left out, and the first one after the gap says how many (`omitted`).
 *
 * Every string that comes from a run is cut to a bounded size, and says so: see `CutText`.
 */

import type { ChartLayout } from './chart-layout.js'

export { type ChartLayout, GATE_SIZE, type LaidOutState, type LaidOutTransition } from './chart-layout.js'

/** A text that may have been cut: `length` is what it was, in code points. */
export interface CutText {
  readonly text: string
  readonly length: number
}

/** What every event on the wire has. */
interface WireBase {
  /** Its place in the stream, from 0. */
  readonly index: number
  /** Milliseconds since the run was started, with fractions. */
  readonly at: number
  readonly sessionId: string
  /** How many events right before this one were not kept; absent when there are none. */
  readonly omitted?: number
}

/** An actor has come to be: the agent's machine with its definition, or the session. */
export interface ActorEvent extends WireBase {
  readonly type: '@xstate.actor'
  readonly name: string
  /** The machine's config as JSON (for the agent's machine): what the chart is drawn from. */
  readonly definition?: string
  /** Where the chart's states and transitions are, laid out from `definition`. */
  readonly layout?: ChartLayout
  readonly snapshot: AgentSnapshot | SessionSnapshot
}

/** An event that an agent's machine was sent. */
export interface MachineEvent extends WireBase {
  readonly type: '@xstate.event'
  readonly event: { readonly type: string }
}

/** A state that was entered (each microstep is one), or what the session now is. */
export interface SnapshotEvent extends WireBase {
  readonly type: '@xstate.snapshot'
  readonly event: { readonly type: string }
  readonly snapshot: AgentSnapshot | SessionSnapshot
}

export type WireEvent = ActorEvent | MachineEvent | SnapshotEvent

/** A message of the conversation as it is shown. */
export interface WireMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: CutText
}

/** An action as it is shown: its JSON, cut. */
export interface WireAction {
  readonly kind: 'tool' | 'final' | 'invalid'
  readonly name: string
  readonly json: CutText
}

/** What is sent of the machine's snapshot. Lists are sent as what is new since this actor's snapshot before. */
export interface AgentSnapshot {
  readonly status: 'active' | 'done' | 'error' | 'stopped'
  /** XState's state value: `'awaitModel'`, `{ maybeCheckpoint: 'boundary' }`. */
  readonly value: unknown
  readonly context: {
    readonly step: number
    readonly toolCalls: number
    readonly afterToolCalls: number | null
    readonly invalidActions: number
    readonly identicalActions: number
    readonly contextChars: number
    readonly limits: {
      readonly maxSteps: number
      readonly maxContextChars: number
      readonly maxInvalidActions: number
      readonly maxIdenticalActions: number
    }
    /**
     * How many messages the conversation has now, and those that are new in this snapshot: always its last ones. When
     * there are more new ones than are sent (a resume of a very long conversation), the earlier of them are left out.
     */
    readonly messageCount: number
    readonly newMessages: readonly WireMessage[]
    /** What the model has decided and is being carried out: the open half of a pair. */
    readonly decision: { readonly response: CutText; readonly action: WireAction } | null
    /** The interactions that are new in this snapshot; a result is cut shorter here than in its message. */
    readonly newInteractions: readonly {
      readonly step: number
      readonly action: WireAction
      readonly result: CutText | null
    }[]
    readonly reason: string | null
  }
}

/** The model's snapshot; long lists are cut, their lengths say so. */
export interface WireModelSnapshot {
  readonly conversationPosition: number
  readonly responseIndex: number
  readonly cachedTokenIds: readonly number[]
  readonly cachedTokenCount: number
  readonly layerOffsets: readonly number[]
  /** How many layers there are; `layerOffsets` may be cut. */
  readonly layerCount?: number
}

/** An effect that waits for a person's word. */
export interface PendingApproval {
  readonly id: number
  readonly tool: string
  /** The exact command, or */
  readonly argv?: readonly string[]
  /** Set when `argv` is not whole, because it is too long to be sent. */
  readonly argvIsCut?: true
  /** the change as a unified diff. */
  readonly path?: string
  readonly diff?: CutText
}

export interface WireReceipt {
  readonly receiptId: string
  readonly toolCallId: string
  readonly tool: string
  readonly exitState: 'ok' | 'error'
  readonly result: CutText
}

/** What is counted, at the boundary and now: the evidence. */
export interface Tally {
  /** How often an approval was asked for. */
  readonly approvals: number
  /** The newest ones, in order; `receiptCount` says how many there are. */
  readonly receipts: readonly WireReceipt[]
  readonly receiptCount?: number
  readonly executions: Readonly<Record<string, number>>
}

export type Phase =
  /** The machine runs. */
  | 'running'
  /** The gate in front of the model is shut and the model is waited for. */
  | 'paused'
  /** An effect waits for an answer. */
  | 'approval'
  /** The checkpoint was taken; the run stands until it is resumed. */
  | 'boundary'
  | 'completed'
  | 'aborted'
  | 'failed'

/** What is sent of the session. Each snapshot is whole. */
export interface SessionSnapshot {
  readonly status: 'active' | 'done'
  readonly value: Phase
  readonly context: {
    readonly task: string
    /** From 1; "run again" begins the next one. */
    readonly run: number
    /** The agent's actor that runs now, or ran last. */
    readonly agent: string | null
    readonly modelGate: 'open' | 'shut' | 'step'
    readonly pending: PendingApproval | null
    /** The newest answers, in order. */
    readonly approvals: readonly { readonly tool: string; readonly approved: boolean; readonly reason?: string }[]
    readonly checkpoint: {
      readonly checkpointId: string
      readonly messages: number
      readonly model: WireModelSnapshot
    } | null
    /** Set by the resume: what the fresh model restored, and whether its first input was the saved prefix. */
    readonly restored: { readonly model: WireModelSnapshot; readonly prefixMatches: boolean | null } | null
    readonly atBoundary: Tally | null
    readonly now: Tally
    /** Files that were changed, as a unified diff against what they were when the run first touched them. */
    readonly files: readonly { readonly path: string; readonly diff: CutText }[]
    /** How the run ended: the stop reason and the final answer, or the error. */
    readonly outcome: { readonly reason: string; readonly final: CutText | null } | null
    readonly error: { readonly code: string; readonly message: string } | null
    /** Whether a page may control this run; false for a trace or a saved run. */
    readonly controllable: boolean
  }
}

/** What a page may ask for: a closed set, validated on the server. */
export type ControlMessage =
  | { readonly type: 'pause' }
  /** Opens the gate for good. */
  | { readonly type: 'continue' }
  /** Opens the gate until one more observation is appended. */
  | { readonly type: 'step' }
  /** Drops the model and resumes from the checkpoint with a fresh one; at the boundary only. */
  | { readonly type: 'resume' }
  | { readonly type: 'approve'; readonly id: number }
  | { readonly type: 'deny'; readonly id: number; readonly reason?: string }
  | { readonly type: 'abort' }
  | { readonly type: 'runAgain' }

/** A run that was saved: the stream, to its end. Embedded in a report, one event a line in a trace. */
export interface SavedRun {
  readonly events: readonly WireEvent[]
}
