import type { AgentSnapshot, WireAction, WireMessage } from '../../wire.js'
import type { ChartIndex } from './chart-index.js'

/** A request of the assistant with what came of it. */
export interface Pair {
  /** Its place in the list of pairs, from 0. */
  readonly index: number
  /** How many messages stand before it in the conversation. */
  readonly position: number
  readonly request: WireMessage
  observation: WireMessage | null
  readonly action: WireAction | null
  /** The model decision it was; `null` when that is not known. */
  readonly step: number | null
  /** The entry of the timeline that appended it. */
  readonly entry: number | null
}

/** One agent actor as far as it has come: its conversation only ever grows. */
export class AgentTrack {
  readonly head: WireMessage[] = []
  readonly pairs: Pair[] = []
  /** How many pairs it started with. */
  restoredPairs = 0
  /** How many messages the wire left out. */
  omittedMessages = 0
  #messageCount = 0
  #newest: { readonly step: number; readonly action: WireAction } | undefined

  /**
   * @param ordinal - Its place among the agents of the run, from 1.
   * @param before - The agent that ran before, when this one goes on from its checkpoint.
   */
  constructor(
    readonly sessionId: string,
    readonly ordinal: number,
    readonly chart: ChartIndex | null,
    readonly before: AgentTrack | null,
  ) {}

  /** Takes what is new in a snapshot, which is entry `entry` of the timeline. */
  grow(
    { messageCount, newMessages, newInteractions }: AgentSnapshot['context'],
    entry: number,
    isStart: boolean,
  ): void {
    const omitted = messageCount - newMessages.length - this.#messageCount
    this.omittedMessages += omitted
    this.#messageCount += omitted
    this.#newest = newInteractions.at(-1) ?? this.#newest
    for (const message of newMessages) this.#append(message, isStart ? null : entry)
    if (isStart) this.restoredPairs = this.pairs.length
  }

  #append(message: WireMessage, entry: number | null): void {
    const last = this.pairs.at(-1)
    if (message.role === 'assistant') this.pairs.push(this.#createPair(message, entry))
    else if (last === undefined) this.head.push(message)
    else last.observation = message
    this.#messageCount += 1
  }

  #createPair(request: WireMessage, entry: number | null): Pair {
    const place = { index: this.pairs.length, position: this.#messageCount, request, observation: null }
    // What was restored is known from the agent that said it first.
    const known = entry === null ? this.before?.findPair(place.position) : { ...this.#newest, entry }
    return { ...place, action: known?.action ?? null, step: known?.step ?? null, entry: known?.entry ?? null }
  }

  /** The pair that stands behind so many messages. */
  findPair(position: number): Pair | undefined {
    const guess = this.pairs[(position - this.head.length) / 2]
    return guess?.position === position ? guess : this.pairs.find(pair => pair.position === position)
  }
}
