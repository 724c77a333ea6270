import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Why a request is refused: the status, and one sentence for whoever sent it. */
export interface Refusal {
  readonly status: 403 | 405
  readonly message: string
}

const TICKET_MILLISECONDS = 60_000

/**
 * Who may ask: whoever was given the URL, from this machine, from the page itself.
 *
 * Every request must name this server as its host, or a foreign site could reach it under a name of its own that leads
 * to 127.0.0.1. A request that says where it comes from must come from this server's own page; an upgrade must say so.
 * And it must know the token, 256 random bits.
 */
export class Access {
  readonly token = randomBytes(32).toString('base64url')
  readonly #digest = digestOf(this.token)
  readonly #tickets = new Map<string, number>()
  #hosts: ReadonlySet<string> = new Set()

  /** Sets the port that the server is bound to; before that, everything is refused. */
  bind(port: number): void {
    const suffixes = port === 80 ? ['', ':80'] : [`:${port}`]
    this.#hosts = new Set(['127.0.0.1', 'localhost'].flatMap(name => suffixes.map(suffix => name + suffix)))
  }

  /** Why a request for a page or a file is refused; `undefined` when it is not. */
  refuseRequest(request: IncomingMessage, url: URL): Refusal | undefined {
    const isReading = request.method === 'GET' || request.method === 'HEAD'
    if (!isReading) return { status: 405, message: 'Only GET and HEAD are answered here.' }
    return this.#refuse(request, url, request.headers.origin === undefined)
  }

  /** Why an upgrade to a socket is refused; `undefined` when it is not. */
  refuseUpgrade(request: IncomingMessage, url: URL): Refusal | undefined {
    return this.#refuse(request, url, false)
  }

  /**
   * A ticket for a program that opens a browser: it leads to the page once, and soon. The list of processes, where the
   * other users of this machine can read it for as long as the browser runs, so never has the token in it.
   */
  issueTicket(): string {
    const ticket = randomBytes(32).toString('base64url')
    this.#tickets.set(digestOf(ticket).toString('hex'), performance.now() + TICKET_MILLISECONDS)
    return ticket
  }

  /** Why a request with a ticket is refused; `undefined` when it is not, and the ticket is used up. */
  refuseTicket(request: IncomingMessage, url: URL): Refusal | undefined {
    if (request.method !== 'GET') return { status: 405, message: 'Only GET is answered here.' }
    const refusal = this.#refuseSender(request, request.headers.origin === undefined)
    if (refusal !== undefined) return refusal
    const digest = digestOf(url.searchParams.get('ticket') ?? '').toString('hex')
    const until = this.#tickets.get(digest) ?? 0
    this.#tickets.delete(digest)
    if (performance.now() < until) return undefined
    return { status: 403, message: 'The ticket was used, or is too old: use the URL that safepoint has printed.' }
  }

  #refuse(request: IncomingMessage, url: URL, mayLackOrigin: boolean): Refusal | undefined {
    const refusal = this.#refuseSender(request, mayLackOrigin)
    if (refusal !== undefined) return refusal
    // Digests have one length, so that the comparison takes the same time whatever was given.
    const given = digestOf(url.searchParams.get('token') ?? '')
    if (!timingSafeEqual(given, this.#digest)) {
      return { status: 403, message: 'The token is missing or wrong: use the URL that safepoint has printed.' }
    }
    return undefined
  }

  #refuseSender({ headers }: IncomingMessage, mayLackOrigin: boolean): Refusal | undefined {
    const { host = '', origin } = headers
    if (!this.#hosts.has(host)) return { status: 403, message: 'The host is not this server.' }
    if (!mayLackOrigin && origin !== `http://${host}`) return { status: 403, message: 'The origin is not this server.' }
    return undefined
  }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
