import type { WebSocket } from 'ws'

/**
 * A page has two sockets, and sees the end of one of them only. Those that come with the same `page` in their URL belong
 * together: when one ends, the other is ended, too, so that the page knows and comes back for the whole run.
 */
export class PagePairs {
  readonly #pages = new Map<string, Set<WebSocket>>()

  /** @param page - The page's own name for itself; without one a socket stands alone. */
  join(page: string | null, socket: WebSocket): void {
    if (page === null || page === '' || page.length > 64) return
    const sockets = this.#pages.get(page) ?? new Set()
    sockets.add(socket)
    this.#pages.set(page, sockets)
    socket.once('close', () => {
      if (this.#pages.get(page) === sockets) this.#pages.delete(page)
      sockets.delete(socket)
      for (const other of sockets) other.terminate()
    })
  }
}
