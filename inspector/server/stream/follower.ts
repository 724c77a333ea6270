import type { RunStream } from './run-stream.js'

/** Where a follower puts lines. */
export interface LineSink {
  /** Takes a line; `onTaken` is called once it has left, so that more may follow. */
  write(line: string, onTaken: () => void): void
  /** Whether so much is waiting that nothing more should be written for now. */
  isFull(): boolean
  /** Called around the lines of one turn, so that they may go out together. */
  begin?(): void
  end?(): void
}

const MOST_LINES_A_TURN = 200
/** How long lines are gathered before they go out: nobody sees it, and a fast run is not held up by each of them. */
const GATHER_MILLISECONDS = 5

/**
 * Brings a stream to a sink, at the sink's own pace: what a slow one has not taken stays in the stream, which all share,
 * and nowhere else. It works between the turns of the event loop, never inside a step of the run.
 */
export class Follower {
  readonly #stream: RunStream
  readonly #sink: LineSink
  readonly #unsubscribe: () => void
  #place = 0
  #scheduled: NodeJS.Timeout | undefined
  #idle: (() => void)[] = []

  constructor(stream: RunStream, sink: LineSink) {
    this.#stream = stream
    this.#sink = sink
    this.#unsubscribe = stream.onAppend(() => this.#schedule())
    this.#schedule()
  }

  /** Resolves once the sink was given everything there is. */
  async caughtUp(): Promise<void> {
    if (this.#place >= this.#stream.end) return
    await new Promise<void>(resolve => this.#idle.push(resolve))
  }

  stop(): void {
    this.#unsubscribe()
    clearTimeout(this.#scheduled)
    this.#settle()
  }

  #schedule(): void {
    this.#scheduled ??= setTimeout(() => {
      this.#scheduled = undefined
      this.#sink.begin?.()
      this.#pump()
      this.#sink.end?.()
    }, GATHER_MILLISECONDS)
  }

  #pump(): void {
    for (let count = 0; count < MOST_LINES_A_TURN; count += 1) {
      if (this.#sink.isFull()) return
      const item = this.#stream.read(this.#place)
      if (item === undefined) {
        this.#settle()
        return
      }
      this.#place = item.next
      this.#sink.write(item.line, () => this.#schedule())
    }
    this.#schedule()
  }

  #settle(): void {
    for (const resolve of this.#idle) resolve()
    this.#idle = []
  }
}
