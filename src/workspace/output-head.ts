import type { Readable } from 'node:stream'

/** The longest output that an observation shows, in code points. */
export const MAX_OUTPUT_CODE_POINTS = 16_000
// A code point takes at most four bytes, and so does what a replacement character stands for.
const HEAD_BYTES = MAX_OUTPUT_CODE_POINTS * 4

/** Reads a stream to its end and keeps the beginning, however much there is. */
export class OutputHead {
  readonly #stream: Readable | null | undefined
  readonly #bytes = Buffer.allocUnsafe(HEAD_BYTES)
  #kept = 0
  #received = 0
  #ended = false

  /** A stream that is missing counts as ended. */
  constructor(stream: Readable | null | undefined) {
    this.#stream = stream
    this.#ended = !stream
    stream?.on('data', (chunk: Buffer) => {
      this.#received += chunk.length
      this.#kept += chunk.copy(this.#bytes, this.#kept)
    })
    stream?.on('end', () => {
      this.#ended = true
    })
    // A pipe that breaks is a pipe that has ended.
    stream?.on('error', () => {
      this.#ended = true
    })
  }

  /** How many bytes have come. */
  get received(): number {
    return this.#received
  }

  /** Whether nothing more can come that would be kept. */
  get isComplete(): boolean {
    return this.#ended || this.#kept === HEAD_BYTES
  }

  /** What was kept, decoded as UTF-8 with replacement; a byte-order mark is content. */
  text(): string {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(this.#bytes.subarray(0, this.#kept))
  }

  /** Lets the stream go, whoever still holds its other end. */
  release(): void {
    this.#stream?.destroy()
  }
}
