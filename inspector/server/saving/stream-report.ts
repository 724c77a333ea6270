import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import type { PageFiles } from '../serving/page-files.js'
import type { RunStream } from '../stream/run-stream.js'
import { createReportShell, escapeLine, toSavedLine } from './report-shell.js'

/** Sends the report of the run so far, a line at a time, so that a long run costs no great pause. Never rejects. */
export async function streamReport(response: ServerResponse, files: PageFiles, stream: RunStream): Promise<void> {
  try {
    await pipeline(Readable.from(listParts(files, stream.lines()), { objectMode: true }), response)
  } catch {
    // Whoever asked has gone away, or the page is broken: an answer that ends early says so.
    response.destroy()
  }
}

/** The report of these lines, in pieces. */
export function* listParts(files: PageFiles, lines: Iterable<string>): Generator<string> {
  const { head, tail } = createReportShell(files)
  yield head
  let separator = '\n'
  for (const line of lines) {
    yield separator + escapeLine(toSavedLine(line))
    separator = ',\n'
  }
  yield `\n${tail}`
}
