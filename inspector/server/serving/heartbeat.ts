import type { WebSocket } from 'ws'

/** Ends the sockets of pages that have vanished: those that did not answer the ping before. Returns what ends it. */
export function keepHeartbeat(sockets: ReadonlySet<WebSocket>, interval: number): () => void {
  const silent = new WeakSet<WebSocket>()
  const timer = setInterval(() => {
    for (const socket of sockets) {
      if (silent.has(socket)) socket.terminate()
      else {
        silent.add(socket)
        socket.once('pong', () => silent.delete(socket))
        socket.ping()
      }
    }
  }, interval)
  timer.unref()
  return () => clearInterval(timer)
}
