import { writeFile } from 'node:fs/promises'

import { AgentError } from 'safepoint'

import type { WireEvent } from '../../wire.js'
import { readPageFiles } from '../serving/page-files.js'
import { toWireError } from '../wire/wire-error.js'
import { listParts } from './stream-report.js'

/**
 * The report of a run: one HTML file that opens from the disk without a server, has the timeline, and fetches nothing.
 *
 * @throws AgentError (`inspector_failed`) when the page was not built.
 */
export async function createReport(events: Iterable<WireEvent>): Promise<string> {
  return createReportOfLines(Array.from(events, event => JSON.stringify(event)))
}

/**
 * Writes the report of a run to a file, which is replaced if it is there.
 *
 * @throws AgentError (`inspector_failed`) when the page was not built, `io_failed` when the file cannot be written.
 */
export async function writeReport(events: Iterable<WireEvent>, file: string): Promise<void> {
  await writeReportOfLines(
    Array.from(events, event => JSON.stringify(event)),
    file,
  )
}

async function createReportOfLines(lines: Iterable<string>): Promise<string> {
  return [...listParts(await readPageFiles(), lines)].join('')
}

/** The same, of the lines of a stream. */
export async function writeReportOfLines(lines: Iterable<string>, file: string): Promise<void> {
  const report = await createReportOfLines(lines)
  try {
    await writeFile(file, report)
  } catch (cause) {
    const message = `The report ${JSON.stringify(file)} cannot be written: ${toWireError(cause).message}.`
    throw new AgentError('io_failed', message, { cause })
  }
}
