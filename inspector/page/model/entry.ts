import type { AgentSnapshot, LaidOutTransition, Phase, SessionSnapshot } from '../../wire.js'
import type { AgentTrack } from './agent-track.js'

export type AgentContext = AgentSnapshot['context']
export type SessionContext = SessionSnapshot['context']

/** What the session was at an instant. */
export interface SessionState {
  readonly phase: Phase
  readonly context: SessionContext
}

/** Where the machine was at an instant: one microstep of one agent. */
export interface MachineState {
  readonly agent: AgentTrack
  /** The states that are entered, parents before children. */
  readonly paths: readonly string[]
  /** The innermost of them. */
  readonly leaf: string
  readonly context: AgentContext
  readonly event: string
  readonly transition: LaidOutTransition | null
  /** The guards that said no before it. */
  readonly refused: readonly LaidOutTransition[]
  /** Whether the way to here went through the gate. */
  readonly isThroughGate: boolean
  /** How many pairs the conversation has. */
  readonly pairCount: number
  /** The next microstep of the same agent, once there is one. */
  next: MachineState | null
}

/** How an entry came to be: an actor started, an event was taken, a microstep without one, a word of the session. */
export type EntryKind = 'start' | 'event' | 'always' | 'session'

/** One line of the timeline. */
export interface Entry {
  readonly n: number
  readonly kind: EntryKind
  /** Milliseconds since the run was started. */
  readonly at: number
  /** How long the machine stayed, in milliseconds; `null` while it does, and for a word of the session. */
  duration: number | null
  /** What it is called in the list. */
  readonly title: string
  /** How it came about. */
  readonly cause: string
  readonly machine: MachineState | null
  /** What the session was at the end of the entry. */
  session: SessionState | null
}
