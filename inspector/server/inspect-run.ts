import { createRecorder, type RecordOptions } from './recording.js'
import { writeReportOfLines } from './saving/report.js'
import { writeTrace } from './saving/trace-writer.js'
import { createBoundedLog } from './serving/bounded-log.js'
import { readPageFiles } from './serving/page-files.js'
import { startPageServer } from './serving/page-server.js'
import type { PrepareRun, RunEnd } from './session/prepared-run.js'

/** What an inspection may be told. */
export interface InspectOptions extends RecordOptions {
  /** The port on 127.0.0.1; any free one, when left out. */
  readonly port?: number
  /** Whether the run waits before its first model call until a page lets it go on; yes, when left out. */
  readonly startPaused?: boolean
  /** Whether the run goes on from its boundary by itself; no, when left out: it stands until a page resumes it. */
  readonly autoResume?: boolean
  /** How often pages are asked whether they are still there, in milliseconds; 10,000 when left out. */
  readonly heartbeat?: number
}

/** A run that is being inspected. */
export interface Inspection {
  /** Where it is to be seen. Whoever knows this URL can control the run: it is for this machine's user alone. */
  readonly url: string
  /**
   * A URL that leads there once, within a minute, for a program that opens a browser. What is handed to a program can be
   * read by every user of the machine.
   */
  readonly createOpeningUrl: () => string
  /** How the first run ended; never rejects. */
  readonly finished: Promise<RunEnd>
  /** Resolves when everything has been closed: the run, the server, the trace. */
  readonly closed: Promise<void>
  /** Aborts what runs and closes everything. */
  readonly close: () => Promise<void>
  /** Writes the report of the run so far: one HTML file that needs no server. Throws `AgentError`. */
  readonly writeReport: (file: string) => Promise<void>
}

/**
 * Shows a run of the real machine in a browser as it happens: starts a server on 127.0.0.1 and plays the run under the
 * control of whoever opens its URL. Prints nothing and opens no browser.
 *
 * An effect is asked for in the page, unless `confirmTool` answers: silence is no, and the run waits without a timeout.
 * Without a boundary (`afterToolCalls`) the run goes to its end. The run itself is the same as without the inspector.
 *
 * @param prepare - Makes the run; called again for each "run again".
 * @throws AgentError (`inspector_failed`) when the port cannot be had or the page was not built; a signal's reason when it
 * is aborted already. Nothing has been started then.
 */
export async function inspectRun(prepare: PrepareRun, options: InspectOptions = {}): Promise<Inspection> {
  const { port = 0, startPaused = true, autoResume = false, heartbeat = 10_000, signal } = options
  signal?.throwIfAborted()
  const log = createBoundedLog(options.onLog ?? (() => undefined))
  const files = await readPageFiles()
  const play = { startPaused, autoResume, isControllable: true }
  const { stream, session } = await createRecorder(prepare, options, play, log)
  const onControl = session.control.bind(session)
  const server = await startPageServer({ port, files, stream, onControl, log, heartbeat })
  const trace = options.trace === undefined ? undefined : writeTrace(stream, options.trace, log)

  const { promise: closed, resolve } = createDeferred()
  let isClosing = false
  const close = async (reason: unknown): Promise<void> => {
    if (isClosing) return closed
    isClosing = true
    signal?.removeEventListener('abort', onAbort)
    await session.close(reason)
    await trace?.close()
    await server.close()
    resolve()
    return closed
  }
  const onAbort = (): void => void close(signal?.reason)
  signal?.addEventListener('abort', onAbort)
  const finished = session.start()
  if (signal?.aborted) onAbort()
  return {
    url: server.url,
    createOpeningUrl: server.createOpeningUrl,
    finished,
    closed,
    close: () => close(new Error('the inspector was closed')),
    writeReport: file => writeReportOfLines(stream.lines(), file),
  }
}

function createDeferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve!: () => void
  const promise = new Promise<void>(onResolve => {
    resolve = onResolve
  })
  return { promise, resolve }
}
