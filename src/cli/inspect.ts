import { once } from 'node:events'

import type { RunEnd } from '../../inspector/server/index.js'
import type { DemoEvent } from './demo-events.js'
import { canOpenBrowser, openBrowser } from './open-browser.js'
import { prepareDemo } from './prepare-demo.js'

/** What the command line says about an inspection. */
export interface InspectCommandOptions {
  /** Whether a browser is opened, where one can be. */
  readonly open: boolean
  readonly port: number
  readonly trace?: string
  readonly report?: string
}

/** Where an inspection tells what happens. */
export interface InspectOutput {
  /** Each event of the demonstration, and where it is to be seen. */
  readonly report: (event: DemoEvent) => void
  /** What a person may want to know beside it. */
  readonly log: (line: string) => void
}

/**
 * The command `safepoint inspect`, and `safepoint demo --inspect`: the demonstration, paused before its first model call,
 * for a person to control in the page. It runs until it is interrupted.
 *
 * @returns Whether the last run ended well, its evidence included; for one that was interrupted before its end, the
 * reason is thrown.
 */
export async function inspectDemo(
  options: InspectCommandOptions,
  output: InspectOutput,
  signal: AbortSignal,
): Promise<boolean> {
  const { inspectRun } = await import('../../inspector/server/index.js')
  const { port, trace, report: reportFile } = options
  let last: { readonly end: RunEnd; readonly holds: boolean } | undefined
  const saveReport = async (): Promise<void> => {
    if (reportFile === undefined) return
    await inspection.writeReport(reportFile)
    output.report({ type: 'saved', file: reportFile })
  }
  const prepare = (): ReturnType<typeof prepareDemo> => {
    last = undefined
    return prepareDemo({
      report: output.report,
      signal,
      onEnd: async (end, holds) => {
        last = { end, holds }
        await saveReport()
      },
    })
  }
  const inspection = await inspectRun(prepare, {
    port,
    onLog: output.log,
    signal,
    ...(trace !== undefined && { trace }),
  })
  announce(inspection, options, output)
  const first = await Promise.race([inspection.finished, inspection.closed])
  if (first?.phase === 'failed') {
    output.log(`The run failed: ${first.error instanceof Error ? first.error.message : 'see the page'}`)
  }
  await inspection.closed
  if (last === undefined || last.end.phase === 'aborted') signal.throwIfAborted()
  return last?.holds === true
}

/** The command `safepoint inspect FILE`: shows a trace until it is interrupted. */
export async function inspectTrace(
  file: string,
  options: InspectCommandOptions,
  output: InspectOutput,
  signal: AbortSignal,
): Promise<void> {
  const { showTrace } = await import('../../inspector/server/index.js')
  const { port, report } = options
  const shown = await showTrace(file, { port, onLog: output.log })
  try {
    if (report !== undefined) {
      await shown.writeReport(report)
      output.report({ type: 'saved', file: report })
    }
    announce(shown, options, output)
    if (!signal.aborted) await once(signal, 'abort')
  } finally {
    await shown.close()
  }
}

function announce(
  { url, createOpeningUrl }: { readonly url: string; readonly createOpeningUrl: () => string },
  { open }: InspectCommandOptions,
  output: InspectOutput,
): void {
  output.report({ type: 'inspector', url })
  if (open && canOpenBrowser(process.env, process.platform)) openBrowser(createOpeningUrl(), process.platform)
}
