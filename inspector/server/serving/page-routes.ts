import type { IncomingMessage, ServerResponse } from 'node:http'

import { streamReport } from '../saving/stream-report.js'
import type { RunStream } from '../stream/run-stream.js'
import type { PageFiles } from './page-files.js'
import { createHeaders } from './response-headers.js'

/** A request that was let in, and what it may be answered with. */
export interface PageRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly url: URL
  readonly port: number
  readonly files: PageFiles
  readonly stream: RunStream
  readonly token: string
}

/** Answers from a fixed set of paths: there is no way from a URL to the disk. */
export function servePage({ request, response, url, port, files, stream, token }: PageRequest): void {
  const send = (type: string, content: string): void => {
    response.writeHead(200, createHeaders(`${type}; charset=utf-8`, port))
    response.end(request.method === 'HEAD' ? undefined : content)
  }
  switch (url.pathname) {
    case '/':
      send('text/html', addToken(files.html, token))
      return
    case '/page.js':
      send('text/javascript', files.script)
      return
    case '/page.css':
      send('text/css', files.style)
      return
    case '/save':
      response.writeHead(200, {
        ...createHeaders('text/html; charset=utf-8', port),
        'Content-Disposition': 'attachment; filename="safepoint-run.html"',
      })
      if (request.method === 'HEAD') response.end()
      else void streamReport(response, files, stream)
      return
    default:
      response.writeHead(404, createHeaders('text/plain; charset=utf-8', port))
      response.end('There is nothing here.\n')
  }
}

/** The page's own files need the token as well, so that no other site can find out that an inspector runs. */
function addToken(html: string, token: string): string {
  return html.replace(/(["'])(?:\.?\/)?(page\.(?:js|css))\1/g, (_, quote: string, name: string) => {
    return `${quote}/${name}?token=${token}${quote}`
  })
}
