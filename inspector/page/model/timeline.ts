import type { ActorEvent, AgentSnapshot, SessionSnapshot, SnapshotEvent, WireEvent } from '../../wire.js'
import { AgentTrack } from './agent-track.js'
import { type ChartIndex, indexChart, isBoundary } from './chart-index.js'
import type { Entry, EntryKind, MachineState, SessionState } from './entry.js'
import { formatEvent } from './format.js'
import { describeSessionChange } from './session-notes.js'
import { toStatePaths } from './state-path.js'
import { findTaken, refusedBefore } from './transitions.js'

const SESSION = 'session'

/** A run as a list of instants, built from the wire event by event. What an entry holds does not change later, but for
 * what only the next event can tell: its duration, and what the session was at its end. */
export class Timeline {
  readonly entries: Entry[] = []
  #chart: ChartIndex | null = null
  #agents = new Map<string, AgentTrack>()
  #sessionIds = new Set<string>()
  #lastAgent: AgentTrack | null = null
  #lastMachineEntry: Entry | null = null
  #session: SessionState | null = null
  /** The event each agent was sent, as long as no microstep has followed it. */
  #sent = new Map<string, string>()
  #nextIndex = 0
  #omitted = 0

  /** The chart of the machine that runs, or ran last. */
  get chart(): ChartIndex | null {
    return this.#chart
  }

  /** What the session is now. */
  get session(): SessionState | null {
    return this.#session
  }

  /** How many events of a very long run were not kept. */
  get omitted(): number {
    return this.#omitted
  }

  /** Takes the next event of the wire. One that is already there is left out: a page that connects again gets all. */
  append(event: WireEvent): void {
    if (event.index < this.#nextIndex) return
    this.#nextIndex = event.index + 1
    this.#omitted += event.omitted ?? 0
    if (event.type === '@xstate.event') this.#sent.set(event.sessionId, event.event.type)
    else if (event.type === '@xstate.actor') this.#addActor(event)
    else if (this.#sessionIds.has(event.sessionId)) this.#addSession(event, event.snapshot as SessionSnapshot)
    else this.#addMicrostep(event, event.snapshot as AgentSnapshot)
  }

  #addActor(event: ActorEvent): void {
    if (event.name === SESSION) {
      this.#sessionIds.add(event.sessionId)
      this.#addSession(event, event.snapshot as SessionSnapshot)
      return
    }
    if (event.layout) this.#chart = indexChart(event.layout)
    const snapshot = event.snapshot as AgentSnapshot
    const paths = toStatePaths(snapshot.value)
    const before = isBoundary(this.#chart, paths) ? this.#lastAgent : null
    const agent = new AgentTrack(event.sessionId, this.#agents.size + 1, this.#chart, before)
    this.#agents.set(event.sessionId, agent)
    this.#lastAgent = agent
    this.#lastMachineEntry = null
    this.#addMachine(event, agent, snapshot, 'start')
  }

  #addMicrostep(event: SnapshotEvent, snapshot: AgentSnapshot): void {
    const agent = this.#agents.get(event.sessionId)
    if (agent === undefined) return
    const sent = this.#sent.get(event.sessionId)
    this.#sent.delete(event.sessionId)
    const last = this.#lastMachineEntry?.machine
    const { newMessages, newInteractions } = snapshot.context
    const isEcho = event.event.type === 'xstate.init' && last?.leaf === toStatePaths(snapshot.value).at(-1)
    if (isEcho && newMessages.length + newInteractions.length === 0) return
    this.#addMachine(event, agent, snapshot, sent === undefined || sent === 'xstate.init' ? 'always' : 'event')
  }

  #addMachine(event: ActorEvent | SnapshotEvent, agent: AgentTrack, snapshot: AgentSnapshot, kind: EntryKind): void {
    const before = this.#lastMachineEntry
    const type = event.type === '@xstate.snapshot' ? event.event.type : 'xstate.init'
    agent.grow(snapshot.context, this.entries.length, kind === 'start')
    const machine = toMachineState(agent, before?.machine ?? null, snapshot, type, kind)
    const title = machine.leaf
    const cause = toCause(agent, machine, kind)
    if (before?.machine) {
      before.machine.next = machine
      before.duration = event.at - before.at
    }
    this.#lastMachineEntry = this.#add({ kind, at: event.at, title, cause, machine, session: this.#session })
  }

  #addSession(event: ActorEvent | SnapshotEvent, { value, context }: SessionSnapshot): void {
    const session = { phase: value, context }
    const notes = describeSessionChange(this.#session, session)
    this.#session = session
    const last = this.entries.at(-1)
    if (notes.length > 0) {
      const machine = last?.machine ?? null
      this.#add({ kind: 'session', at: event.at, title: notes.join(' · '), cause: '', machine, session })
    } else if (last) last.session = session
  }

  #add(entry: Omit<Entry, 'n' | 'duration'>): Entry {
    const added = { ...entry, n: this.entries.length, duration: null }
    this.entries.push(added)
    return added
  }
}

function toMachineState(
  agent: AgentTrack,
  before: MachineState | null,
  { value, context }: AgentSnapshot,
  event: string,
  kind: EntryKind,
): MachineState {
  const { chart } = agent
  const paths = toStatePaths(value)
  const move = { from: before?.paths ?? [], to: paths, event: kind === 'event' ? event : null, reason: context.reason }
  const transition = chart && before ? findTaken(chart, move) : null
  return {
    agent,
    paths,
    leaf: paths.at(-1) ?? '',
    context,
    event,
    transition,
    refused: chart && transition ? refusedBefore(chart, transition) : [],
    isThroughGate: transition !== null && transition === chart?.gate ? true : (before?.isThroughGate ?? false),
    pairCount: agent.pairs.length,
    next: null,
  }
}

function toCause(agent: AgentTrack, { transition, event }: MachineState, kind: EntryKind): string {
  if (kind === 'start') return agent.restoredPairs > 0 ? 'restored, a fresh model' : 'start'
  const name = kind === 'always' || transition?.event === '' ? 'always' : formatEvent(event)
  return transition?.guard ? `${name} [${transition.guard}]` : name
}
