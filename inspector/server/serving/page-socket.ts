import type { Duplex } from 'node:stream'

import type { WebSocket } from 'ws'

import type { ControlMessage } from '../../wire.js'
import { Follower } from '../stream/follower.js'
import type { RunStream } from '../stream/run-stream.js'
import { readControlMessage } from './control-message.js'
import { RateLimit } from './rate-limit.js'

/** How much may wait in the socket of a page that does not read. */
const MOST_WAITING = 1_000_000
/** A page that goes on above its rate is cut off. */
const MOST_REFUSED = 200

/** Sends a page the whole run so far, and what comes. Whatever the page sends here is dropped. */
export function serveEvents(socket: WebSocket, connection: Duplex, stream: RunStream): void {
  const follower = new Follower(stream, {
    write: (line, onTaken) => socket.send(line, onTaken),
    isFull: () => socket.bufferedAmount > MOST_WAITING,
    // One write for all: a write for each line would cost more than all the rest.
    begin: () => connection.cork(),
    end: () => connection.uncork(),
  })
  socket.on('close', () => follower.stop())
  const limit = limitRate(socket)
  socket.on('message', () => limit())
}

/** Takes what a page asks for, when it is one of the closed set; the rest is dropped with a line in the log. */
export function serveControls(
  socket: WebSocket,
  onControl: (message: ControlMessage) => void,
  log: (line: string) => void,
): void {
  const limit = limitRate(socket)
  socket.on('message', (data, isBinary) => {
    if (!limit()) return log('A control message was dropped: there were too many.')
    const message = isBinary ? undefined : readControlMessage((data as Buffer).toString())
    if (message === undefined) return log('A control message was dropped: it is none of the known ones.')
    onControl(message)
  })
}

function limitRate(socket: WebSocket): () => boolean {
  const rate = new RateLimit(20, 10)
  let refused = 0
  return () => {
    if (rate.take()) return true
    refused += 1
    if (refused === MOST_REFUSED) socket.close(1008, 'too many messages')
    // It has been told, and does not stop.
    if (refused === 2 * MOST_REFUSED) socket.terminate()
    return false
  }
}
