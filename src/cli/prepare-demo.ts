import { rm } from 'node:fs/promises'

import type { PreparedRun, RunEnd } from '../../inspector/server/index.js'
import type { ScriptedModel } from '../index.js'
import type { DemoEvent } from './demo-events.js'
import { createDemoProject, DEMO_BOUNDARY, DEMO_TASK } from './demo-project.js'
import { setUpDemo } from './demo-run.js'

/** What is told of a demonstration that an inspector plays. */
export interface DemoListener {
  /** Each event as it happens. */
  readonly report: (event: DemoEvent) => void
  /** Ends the preparation; the run itself is ended by whoever plays it. */
  readonly signal: AbortSignal
  /** It has ended; `holds` is whether all the evidence holds, and false for a run that was aborted or has failed. */
  readonly onEnd: (end: RunEnd, holds: boolean) => void | Promise<void>
}

/** The demonstration as a run that can be inspected, in a temporary project of its own, which `dispose` removes. */
export async function prepareDemo({ report, signal, onEnd }: DemoListener): Promise<PreparedRun> {
  const root = await createDemoProject()
  const dispose = (): Promise<void> => rm(root, { recursive: true, force: true })
  try {
    const demo = await setUpDemo(root, report, signal)
    return {
      task: DEMO_TASK,
      root,
      afterToolCalls: DEMO_BOUNDARY,
      inspect: demo.inspect,
      createModel: demo.createModel,
      createWorkspace: confirmTool => ({ workspace: demo.createWorkspace(confirmTool), receipts: demo.receipts }),
      onCheckpoint: demo.reachBoundary,
      onFreshModel: model => demo.takeFreshModel(model as ScriptedModel),
      onEnd: async end => onEnd(end, end.phase === 'completed' && (await demo.conclude(end.run))),
      dispose,
    }
  } catch (thrown) {
    await dispose()
    throw thrown
  }
}
