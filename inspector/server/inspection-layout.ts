import { agentMachine } from 'safepoint'

import type { ChartLayout } from '../wire.js'
import { layoutChart } from './chart/layout.js'
import { toWireError } from './wire/wire-error.js'
import { readDefinition } from './wire/wire-inspector.js'

/** One machine has one layout, whatever it is asked for. */
const layouts = new Map<string, ChartLayout>()

/**
 * Lays out the chart of the agent's machine before a run begins, so that no run waits for it. Answers how the layout of a
 * definition is found: by the definition itself, as it comes over the wire.
 */
export async function prepareLayout(
  log: (line: string) => void,
): Promise<(definition: string) => ChartLayout | undefined> {
  try {
    await layOut(readDefinition(agentMachine))
  } catch (thrown) {
    log(`The chart could not be laid out: ${toWireError(thrown).message}`)
  }
  return definition => layouts.get(definition)
}

async function layOut(definition: string | undefined): Promise<void> {
  if (definition === undefined || layouts.has(definition)) return
  layouts.set(definition, await layoutChart(definition))
}
