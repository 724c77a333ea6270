import type { WireEvent } from '../../wire.js'

/** An event before it has its place in the stream. */
export type StreamedEvent = WithoutPlace<WireEvent>
type WithoutPlace<Event> = Event extends WireEvent ? Omit<Event, 'index' | 'at'> : never

/** How much of a run is kept for pages that come late, in characters of JSON. */
const MOST_CHARACTERS = 32_000_000

interface Kept {
  readonly index: number
  readonly line: string
  /** What is found again when it is dropped: a stream without its actors could not be drawn. */
  readonly actor: string | undefined
}

/**
 * The run so far, each event as one line of JSON, written once. The memory it takes is bounded: the oldest events go
 * first, and a reader is told how many were left out. Of dropped actors the newest agent and the session stay.
 */
export class RunStream {
  readonly #most: number
  readonly #listeners = new Set<() => void>()
  readonly #actors = new Map<string, Kept>()
  #kept: Kept[] = []
  #size = 0
  #next = 0
  #startedAt: number | undefined

  constructor(most = MOST_CHARACTERS) {
    this.#most = most
  }

  /** The index that the next event gets; a reader that stands there has read everything. */
  get end(): number {
    return this.#next
  }

  append(event: StreamedEvent): void {
    const now = performance.now()
    this.#startedAt ??= now
    const at = Math.round((now - this.#startedAt) * 1_000) / 1_000
    const { type, sessionId } = event
    const actor = type === '@xstate.actor' ? (sessionId === 'session' ? sessionId : 'agent') : undefined
    // Its place is put before it as text: a copy of each event would cost as much as writing it.
    this.#keep(`{"index":${this.#next},"at":${at},${JSON.stringify(event).slice(1)}`, actor)
  }

  /** Adds a line of a trace as it is; the index in it must be that of its place, or above it after a gap. */
  appendLine({ line, index, actor }: Kept): void {
    this.#next = index
    this.#keep(line, actor)
  }

  /**
   * The next event at or after a place, and the place after it; `undefined` at the end. Where events were left out, the
   * line says how many.
   */
  read(place: number): { readonly line: string; readonly next: number } | undefined {
    const kept = this.#find(place)
    if (kept === undefined) return undefined
    const omitted = kept.index - place
    const line = omitted > 0 ? `{"omitted":${omitted},${kept.line.slice(1)}` : kept.line
    return { line, next: kept.index + 1 }
  }

  /** Every line that is kept, in order. */
  *lines(): Generator<string> {
    for (let item = this.read(0); item !== undefined; item = this.read(item.next)) yield item.line
  }

  /** Calls back after each event; what it does must be short. Returns what ends it. */
  onAppend(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #keep(line: string, actor: string | undefined): void {
    this.#kept.push({ index: this.#next, line, actor })
    this.#size += line.length
    this.#next += 1
    if (this.#size > this.#most) this.#drop()
    for (const listener of this.#listeners) listener()
  }

  // Drops a tenth at once, so that it is seldom done and costs little an event.
  #drop(): void {
    let count = 0
    while (this.#size > this.#most * 0.9 && count < this.#kept.length - 1) {
      const dropped = this.#kept[count] as Kept
      if (dropped.actor !== undefined) this.#actors.set(dropped.actor, dropped)
      this.#size -= dropped.line.length
      count += 1
    }
    this.#kept = this.#kept.slice(count)
  }

  #find(place: number): Kept | undefined {
    const first = this.#kept[0]
    if (first === undefined || place >= this.#next) return undefined
    if (place < first.index) {
      const actors = [...this.#actors.values()].sort((a, b) => a.index - b.index)
      return actors.find(actor => actor.index >= place) ?? first
    }
    // Indices have no gaps but in a trace that has some itself.
    for (let at = Math.min(place - first.index, this.#kept.length - 1); ; at -= 1) {
      if (at === 0 || (this.#kept[at - 1]?.index ?? -1) < place) return this.#kept[at]
    }
  }
}
