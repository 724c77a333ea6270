import { rm } from 'node:fs/promises'

import { chooseColors } from './colors.js'
import type { DemoEvent } from './demo-events.js'
import { createDemoProject } from './demo-project.js'
import { runDemo } from './demo-run.js'
import { createDemoText } from './demo-text.js'
import { inspectDemo } from './inspect.js'
import { recordDemo } from './record-demo.js'

/** What the command line says about the demonstration. */
export interface DemoOptions {
  /** One JSON object a line instead of text for a person. */
  readonly json: boolean
  /** Whether it is shown in a browser, and controlled from there. */
  readonly inspect: boolean
  readonly open: boolean
  readonly port: number
  readonly report?: string
  readonly trace?: string
}

/** Where the command line writes to. */
export interface Output {
  /** Takes each piece of output, line ends included. */
  readonly write: (text: string) => void
  /** Takes a line that is no part of the output. */
  readonly log: (line: string) => void
}

/**
 * The command `safepoint demo`: the demonstration in a temporary project of its own, which is removed whatever happens.
 *
 * @returns Whether the evidence holds.
 */
export async function demo(options: DemoOptions, { write, log }: Output, signal: AbortSignal): Promise<boolean> {
  const describe = options.json
    ? (event: DemoEvent) => `${JSON.stringify(event)}\n`
    : createDemoText(chooseColors(process.env, process.stdout))
  const report = (event: DemoEvent): void => write(describe(event))
  if (options.inspect) return inspectDemo(options, { report, log }, signal)
  if (options.report !== undefined || options.trace !== undefined) return recordDemo(options, report, log, signal)
  const root = await createDemoProject()
  try {
    return await runDemo(root, report, signal)
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}
