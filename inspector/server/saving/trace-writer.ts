import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'

import { Follower } from '../stream/follower.js'
import type { RunStream } from '../stream/run-stream.js'
import { toWireError } from '../wire/wire-error.js'

const MOST_WAITING = 1_000_000
/** The largest trace: what comes after that is left out, and said so. */
const MOST_BYTES = 256_000_000

/** A file that a stream is being written to. */
export interface TraceWriter {
  /** Writes what is still to be written and closes the file. Never rejects. */
  close(): Promise<void>
}

/**
 * Writes a stream to a file, one event a line, at the file's own pace. A fault of the file is reported once, and the run
 * does not feel it.
 *
 * @param most - How many bytes it may become.
 */
export function writeTrace(
  stream: RunStream,
  file: string,
  log: (line: string) => void,
  most = MOST_BYTES,
): TraceWriter {
  const output = createWriteStream(file)
  let isOver = false
  let written = 0
  const end = (why: string): void => {
    if (isOver) return
    isOver = true
    log(`The trace ${JSON.stringify(file)} ${why}; the run is not affected.`)
    follower.stop()
  }
  const follower = new Follower(stream, {
    write: (line, onTaken) => {
      written += Buffer.byteLength(line) + 1
      if (written > most) end(`was ended: it would be larger than ${most} bytes`)
      if (!isOver) output.write(`${line}\n`, () => onTaken())
    },
    isFull: () => isOver || output.writableLength > MOST_WAITING,
  })
  output.on('error', thrown => end(`cannot be written (${toWireError(thrown).message})`))
  return {
    close: async () => {
      if (!isOver) await follower.caughtUp()
      follower.stop()
      output.end()
      await finished(output).catch(() => undefined)
    },
  }
}
