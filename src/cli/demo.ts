import { rm } from 'node:fs/promises'

import pc from 'picocolors'

import type { DemoEvent } from './demo-events.js'
import { createDemoProject } from './demo-project.js'
import { runDemo } from './demo-run.js'
import { createDemoText } from './demo-text.js'

/** What the command line says about the demonstration. */
export interface DemoOptions {
  /** One JSON object a line instead of text for a person. */
  readonly json: boolean
}

/**
 * The command `safepoint demo`: the demonstration in a temporary project of its own, which is removed whatever happens.
 *
 * @param write - Called with each piece of output, line ends included.
 * @returns Whether the evidence holds.
 */
export async function demo(options: DemoOptions, write: (text: string) => void, signal: AbortSignal): Promise<boolean> {
  const describe = options.json ? (event: DemoEvent) => `${JSON.stringify(event)}\n` : createDemoText(pc)
  const root = await createDemoProject()
  try {
    return await runDemo(root, event => write(describe(event)), signal)
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}
