import {
  type AgentWorkspace,
  ReceiptStore,
  type RunOptions,
  resumeAgent,
  runToCheckpoint,
  ScriptedModel,
  type ToolAction,
  Workspace,
} from '../index.js'
import type { DemoEvent } from './demo-events.js'
import { firstLine, gatherEvidence, readMendedFile, type Tally } from './demo-evidence.js'
import { DEMO_BOUNDARY, DEMO_COMMAND, DEMO_SCRIPT, DEMO_TASK } from './demo-project.js'
import { inspectSteps } from './state-inspection.js'

/**
 * Runs the demonstration in a project: to the boundary, and on from there with a fresh model.
 *
 * @param root - The project's directory, see `createDemoProject`.
 * @param report - Called with each event as it happens; it should not throw.
 * @param signal - Aborts it.
 * @returns Whether every piece of the evidence holds.
 */
export async function runDemo(root: string, report: (event: DemoEvent) => void, signal: AbortSignal): Promise<boolean> {
  const policy = { root, allowWrites: true, allowedCommands: [DEMO_COMMAND] }
  const test = firstLine(await new Workspace(policy).runCommand(DEMO_COMMAND))
  report({ type: 'project', root, task: DEMO_TASK, test })

  let approvals = 0
  const confirmTool = (action: ToolAction): boolean => {
    approvals += 1
    report({ type: 'approval', action, approved: true })
    return true
  }
  const receipts = ReceiptStore.inMemory()
  const executions = new Map<string, number>()
  const workspace = countExecutions(new Workspace(policy, { confirmTool, receipts }), executions)
  const tally = (): Tally => ({ approvals, receipts: receipts.all(), executions: new Map(executions) })
  const options: RunOptions = { signal, inspect: inspectSteps(report) }

  // Nothing keeps the first model: once this has returned, all that is left of it is in the checkpoint.
  const checkpoint = await runToCheckpoint(DEMO_TASK, new ScriptedModel(DEMO_SCRIPT), workspace, {
    ...options,
    afterToolCalls: DEMO_BOUNDARY,
  })
  const atBoundary = tally()
  report({ type: 'checkpoint', checkpoint })

  const freshModel = new ScriptedModel(DEMO_SCRIPT)
  report({ type: 'freshModel', responseIndex: freshModel.responseIndex })
  const run = await resumeAgent(checkpoint, freshModel, workspace, options)

  for (const receipt of receipts.all()) report({ type: 'receipt', receipt })
  const file = await readMendedFile(root)
  report({ type: 'file', file })
  const evidence = gatherEvidence(atBoundary, tally(), file, run)
  for (const item of evidence) report({ type: 'evidence', evidence: item })
  const holds = evidence.every(item => item.holds)
  report({ type: 'result', holds })
  return holds
}

/** The same workspace, each execution of a tool counted where it happens. */
function countExecutions(workspace: AgentWorkspace, executions: Map<string, number>): AgentWorkspace {
  return {
    availableTools: workspace.availableTools,
    allowedCommands: workspace.allowedCommands ?? [],
    get modifiedFiles() {
      return workspace.modifiedFiles
    },
    execute: (action, signal) => {
      executions.set(action.tool, (executions.get(action.tool) ?? 0) + 1)
      return workspace.execute(action, signal)
    },
  }
}
