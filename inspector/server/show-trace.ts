import { readTrace } from './saving/read-trace.js'
import { writeReportOfLines } from './saving/report.js'
import { createBoundedLog } from './serving/bounded-log.js'
import { readPageFiles } from './serving/page-files.js'
import { startPageServer } from './serving/page-server.js'

/** What a trace that is shown may be told. */
export interface ShowOptions {
  /** The port on 127.0.0.1; any free one, when left out. */
  readonly port?: number
  /** Called with what a person may want to know, a line each. */
  readonly onLog?: (line: string) => void
}

/** A trace that is being shown. */
export interface ShownTrace {
  readonly url: string
  /**
   * A URL that leads there once, within a minute, for a program that opens a browser. What is handed to a program can be
   * read by every user of the machine.
   */
  readonly createOpeningUrl: () => string
  /** Writes the trace as a report: one HTML file that needs no server. Throws `AgentError`. */
  readonly writeReport: (file: string) => Promise<void>
  readonly close: () => Promise<void>
}

/**
 * Shows a trace in a browser: the page as `inspectRun` serves it, with nothing to control.
 *
 * @throws AgentError: `invalid_trace` (names the line), `io_failed`, `inspector_failed`.
 */
export async function showTrace(file: string, options: ShowOptions = {}): Promise<ShownTrace> {
  const { port = 0, onLog = () => undefined } = options
  const { stream, notices } = await readTrace(file)
  const files = await readPageFiles()
  for (const notice of notices) onLog(notice)
  const log = createBoundedLog(onLog)
  const onControl = ({ type }: { readonly type: string }): void => log(`"${type}" had no effect: this is a trace.`)
  const server = await startPageServer({ port, files, stream, onControl, log, heartbeat: 10_000 })
  return { ...server, writeReport: target => writeReportOfLines(stream.lines(), target) }
}
