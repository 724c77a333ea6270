import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'

import { AgentError } from 'safepoint'
import { WebSocketServer } from 'ws'

import type { ControlMessage } from '../../wire.js'
import type { RunStream } from '../stream/run-stream.js'
import { Access, type Refusal } from './access.js'
import { keepHeartbeat } from './heartbeat.js'
import type { PageFiles } from './page-files.js'
import { PagePairs } from './page-pairs.js'
import { servePage } from './page-routes.js'
import { serveControls, serveEvents } from './page-socket.js'
import { createHeaders } from './response-headers.js'

/** What a page server serves. */
export interface PageServerOptions {
  readonly port: number
  readonly files: PageFiles
  readonly stream: RunStream
  /** Takes what pages ask for. */
  readonly onControl: (message: ControlMessage) => void
  readonly log: (line: string) => void
  readonly heartbeat: number
}

/** A server that runs. */
export interface PageServer {
  /** Where a page is to be opened; the token is in it. */
  readonly url: string
  /** A URL that leads there once, for a program that opens a browser; see `Access.issueTicket`. */
  readonly createOpeningUrl: () => string
  /** Ends every connection; resolves when nothing is left open. */
  readonly close: () => Promise<void>
}

interface SocketOptions extends PageServerOptions {
  readonly access: Access
  readonly sockets: WebSocketServer
  readonly pairs: PagePairs
}

const NO_SUCH_SOCKET: Refusal = { status: 403, message: 'There is no such socket here.' }

const HOST = '127.0.0.1'
const MOST_CONNECTIONS = 64
const MOST_MESSAGE_BYTES = 4_096

/**
 * Starts the inspector's server, on 127.0.0.1 only.
 *
 * @throws AgentError (`inspector_failed`) when the port cannot be had.
 */
export async function startPageServer(options: PageServerOptions): Promise<PageServer> {
  const access = new Access()
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 })
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MOST_MESSAGE_BYTES, perMessageDeflate: false })
  server.maxConnections = MOST_CONNECTIONS
  const address = await listen(server, options.port)
  access.bind(address.port)
  server.on('request', (request, response) => answer(request, response, access, address.port, options))
  server.on('upgrade', (request, socket, head) =>
    upgrade(request, socket, head, { access, sockets, pairs, ...options }),
  )
  server.on('clientError', (_, socket) => socket.destroy())
  const pairs = new PagePairs()
  const endHeartbeat = keepHeartbeat(sockets.clients, options.heartbeat)
  return {
    url: `http://${HOST}:${address.port}/?token=${access.token}`,
    createOpeningUrl: () => `http://${HOST}:${address.port}/open?ticket=${access.issueTicket()}`,
    close: async () => {
      endHeartbeat()
      for (const socket of sockets.clients) socket.terminate()
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}

async function listen(server: Server, port: number): Promise<AddressInfo> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, HOST, () => {
        server.off('error', reject)
        resolve()
      })
    })
  } catch (cause) {
    const message = `The inspector cannot listen on ${HOST}, port ${port}; name another port, or none.`
    throw new AgentError('inspector_failed', message, { cause })
  }
  return server.address() as AddressInfo
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  access: Access,
  port: number,
  { files, stream }: PageServerOptions,
): void {
  const url = readUrl(request)
  const isOpening = url.pathname === '/open'
  const refusal = isOpening ? access.refuseTicket(request, url) : access.refuseRequest(request, url)
  if (refusal === undefined && isOpening) {
    response.writeHead(303, { ...createHeaders('text/plain', port), Location: `/?token=${access.token}` })
    response.end()
    return
  }
  if (refusal === undefined) {
    servePage({ request, response, url, port, files, stream, token: access.token })
    return
  }
  const allow = refusal.status === 405 ? { Allow: 'GET, HEAD' } : {}
  response.writeHead(refusal.status, { ...createHeaders('text/plain; charset=utf-8', port), ...allow })
  response.end(`${refusal.message}\n`)
}

function upgrade(
  request: IncomingMessage,
  connection: Duplex,
  head: Buffer,
  { access, sockets, pairs, stream, onControl, log }: SocketOptions,
): void {
  connection.on('error', () => connection.destroy())
  const url = readUrl(request)
  const isKnown = url.pathname === '/events' || url.pathname === '/control'
  const refusal = access.refuseUpgrade(request, url) ?? (isKnown ? undefined : NO_SUCH_SOCKET)
  if (refusal !== undefined) {
    log(`A socket was refused. ${refusal.message}`)
    connection.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n', () =>
      connection.destroy(),
    )
    return
  }
  sockets.handleUpgrade(request, connection, head, socket => {
    // A message that is too large, or a connection that is reset, ends the socket; there is nothing more to do.
    socket.on('error', () => socket.terminate())
    pairs.join(url.searchParams.get('page'), socket)
    if (url.pathname === '/events') serveEvents(socket, connection, stream)
    else serveControls(socket, onControl, log)
  })
}

/** The path and the query of a request; a target that is no URL leads nowhere. */
function readUrl(request: IncomingMessage): URL {
  try {
    return new URL(request.url ?? '/', `http://${HOST}`)
  } catch {
    return new URL(`http://${HOST}/`)
  }
}
