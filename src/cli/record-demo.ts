import type { DemoEvent } from './demo-events.js'
import { prepareDemo } from './prepare-demo.js'

/** Where the demonstration is kept. */
export interface RecordCommandOptions {
  readonly trace?: string
  readonly report?: string
}

/**
 * The command `safepoint demo` with `--report` or `--trace`: the same demonstration, recorded. No server, no browser; its
 * effects are approved, and it goes on from its boundary by itself, as in the demonstration.
 *
 * @returns Whether the evidence holds.
 */
export async function recordDemo(
  { trace, report: reportFile }: RecordCommandOptions,
  report: (event: DemoEvent) => void,
  log: (line: string) => void,
  signal: AbortSignal,
): Promise<boolean> {
  const { recordRun } = await import('../../inspector/server/index.js')
  let doesHold = false
  const prepare = (): ReturnType<typeof prepareDemo> =>
    prepareDemo({
      report,
      signal,
      onEnd: (_, holds) => {
        doesHold = holds
      },
    })
  const options = { confirmTool: () => true, onLog: log, signal, ...(trace !== undefined && { trace }) }
  const { end, writeReport } = await recordRun(prepare, options)
  if (end.phase !== 'completed') throw end.error
  if (reportFile !== undefined) await writeReport(reportFile)
  for (const file of [trace, reportFile]) if (file !== undefined) report({ type: 'saved', file })
  return doesHold
}
