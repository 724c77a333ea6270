import type { ConfirmTool } from 'safepoint'

import { prepareLayout } from './inspection-layout.js'
import { writeReportOfLines } from './saving/report.js'
import { writeTrace } from './saving/trace-writer.js'
import { createBoundedLog } from './serving/bounded-log.js'
import type { PrepareRun, RunEnd } from './session/prepared-run.js'
import { RunSession } from './session/run-session.js'
import { RunStream } from './stream/run-stream.js'
import { createWireInspector } from './wire/wire-inspector.js'

/** What a run that is recorded may be told. */
export interface RecordOptions {
  /** Answers approvals in the place of a person. Without it, a run that is only recorded denies every effect. */
  readonly confirmTool?: ConfirmTool
  /** A file for the events, one a line. */
  readonly trace?: string
  /** Whether a resumed run stops at its boundary again, and not at its end. */
  readonly stopsAgain?: boolean
  /** Ends the run, with its reason. */
  readonly signal?: AbortSignal
  /** Called with what a person may want to know, a line each. */
  readonly onLog?: (line: string) => void
}

/** A run that was recorded. */
export interface Recording {
  readonly end: RunEnd
  /** Writes the report of the run: one HTML file that needs no server. Throws `AgentError`. */
  readonly writeReport: (file: string) => Promise<void>
}

/** A session with its stream, before anything is played. */
export interface Recorder {
  readonly stream: RunStream
  readonly session: RunSession
}

/** What both a recording and an inspection are made of. */
export async function createRecorder(
  prepare: PrepareRun,
  options: Pick<RecordOptions, 'confirmTool' | 'stopsAgain'>,
  play: { readonly startPaused: boolean; readonly autoResume: boolean; readonly isControllable: boolean },
  log: (line: string) => void,
): Promise<Recorder> {
  const stream = new RunStream()
  const inspector = createWireInspector(stream, await prepareLayout(log))
  const { confirmTool, stopsAgain = false } = options
  return { stream, session: new RunSession(prepare, { ...play, stopsAgain, confirmTool }, inspector, log) }
}

/**
 * Plays a run to its end without a server and without a person: it goes on from its boundary by itself, and what was
 * recorded becomes a report or a trace. What the run leaves behind is removed.
 *
 * @returns How the run ended; it does not reject when the run fails.
 */
export async function recordRun(prepare: PrepareRun, options: RecordOptions = {}): Promise<Recording> {
  const { signal, stopsAgain = false, confirmTool = () => false } = options
  signal?.throwIfAborted()
  const play = { startPaused: false, autoResume: true, isControllable: false }
  const log = createBoundedLog(options.onLog ?? (() => undefined))
  const { stream, session } = await createRecorder(prepare, { confirmTool, stopsAgain }, play, log)
  const trace = options.trace === undefined ? undefined : writeTrace(stream, options.trace, log)
  const onAbort = (): void => void session.close(signal?.reason)
  signal?.addEventListener('abort', onAbort)
  try {
    if (signal?.aborted) onAbort()
    const end = await session.start()
    return { end, writeReport: file => writeReportOfLines(stream.lines(), file) }
  } finally {
    signal?.removeEventListener('abort', onAbort)
    await session.close(new Error('the recording is over'))
    await trace?.close()
  }
}
