import type { ControlMessage, WireEvent } from '../../wire.js'
import { Timeline } from '../model/timeline.js'

/** How the page stands to the run that it shows. */
export type Connection = 'connecting' | 'connected' | 'disconnected' | 'saved'

/** The run that the page shows: what came over the wire, and a word when there is more. */
export class RunStore {
  timeline = new Timeline()
  connection: Connection = 'connecting'
  /** Sends a control to the server; nowhere as long as there is none. */
  send: (message: ControlMessage) => void = () => {}
  #listeners = new Set<() => void>()
  #isScheduled = false
  #newest = -1

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  append(event: WireEvent): void {
    // The whole run comes again, or another one: what was there is out of date.
    if (event.index < this.#newest || event.index === 0) this.timeline = new Timeline()
    this.#newest = event.index
    this.timeline.append(event)
    this.#announce()
  }

  connect(connection: Connection): void {
    this.connection = connection
    this.#announce()
  }

  // However fast events come, the page is drawn once a frame.
  #announce(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    const announce = (): void => {
      this.#isScheduled = false
      for (const listener of this.#listeners) listener()
    }
    if (document.hidden) setTimeout(announce, 100)
    else requestAnimationFrame(announce)
  }
}
