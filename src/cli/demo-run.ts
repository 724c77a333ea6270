import {
  type AgentCheckpoint,
  type AgentRun,
  type AgentWorkspace,
  type ConfirmTool,
  ReceiptStore,
  type RunOptions,
  resumeAgent,
  runToCheckpoint,
  ScriptedModel,
  type ToolAction,
  Workspace,
} from '../index.js'
import type { DemoEvent, ProjectFile } from './demo-events.js'
import { firstLine, gatherEvidence, readMendedFile, type Tally } from './demo-evidence.js'
import { DEMO_BOUNDARY, DEMO_COMMAND, DEMO_SCRIPT, DEMO_TASK } from './demo-project.js'
import { inspectSteps } from './state-inspection.js'

/** The parts of the demonstration. Each reports what happens to it, whoever plays the run. */
export interface Demo {
  /** Tells the run step by step. */
  readonly inspect: NonNullable<RunOptions['inspect']>
  readonly receipts: ReceiptStore
  readonly createModel: () => ScriptedModel
  /** The workspace, made once. */
  readonly createWorkspace: (confirmTool: ConfirmTool) => AgentWorkspace
  /** The boundary was reached: what can be counted now must be the same at the end. */
  readonly reachBoundary: (checkpoint: AgentCheckpoint) => void
  readonly takeFreshModel: (model: ScriptedModel) => void
  /** Gathers the evidence of a finished run; answers whether all of it holds. */
  readonly conclude: (run: AgentRun) => Promise<boolean>
}

/**
 * Sets up the demonstration in a project.
 *
 * @param root - The project's directory, see `createDemoProject`.
 * @param report - Called with each event as it happens; it should not throw.
 */
export async function setUpDemo(root: string, report: (event: DemoEvent) => void, signal?: AbortSignal): Promise<Demo> {
  const policy = { root, allowWrites: true, allowedCommands: [DEMO_COMMAND] }
  // A workspace of its own, so that this run of the test is in nobody's evidence.
  const outside = new Workspace(policy, { confirmTool: () => true })
  const runTest = { kind: 'tool', tool: 'run_command', arguments: { argv: DEMO_COMMAND } } as const
  const testBefore = firstLine(await outside.execute(runTest, signal))
  if (testBefore.startsWith('error: ')) throw new Error(testBefore.slice('error: '.length))
  report({ type: 'project', root, task: DEMO_TASK, test: testBefore })

  let approvals = 0
  const executions = new Map<string, number>()
  const receipts = ReceiptStore.inMemory()
  const tally = (): Tally => ({ approvals, receipts: receipts.all(), executions: new Map(executions) })
  let atBoundary = { ...tally(), file: undefined as ProjectFile | undefined }
  return {
    inspect: inspectSteps(report),
    receipts,
    createModel: () => new ScriptedModel(DEMO_SCRIPT),
    createWorkspace: confirm => {
      const confirmTool = async (action: ToolAction): Promise<Awaited<ReturnType<ConfirmTool>>> => {
        approvals += 1
        const answer = await confirm(action)
        report({ type: 'approval', action, approved: typeof answer === 'object' ? answer.approved : answer })
        return answer
      }
      return countExecutions(new Workspace(policy, { confirmTool, receipts }), executions)
    },
    reachBoundary: checkpoint => {
      atBoundary = { ...tally(), file: readMendedFile(root) }
      report({ type: 'checkpoint', checkpoint })
    },
    takeFreshModel: ({ responseIndex }) => report({ type: 'freshModel', responseIndex }),
    conclude: async run => {
      for (const receipt of receipts.all()) report({ type: 'receipt', receipt })
      const file = readMendedFile(root)
      report({ type: 'file', file })
      const evidence = gatherEvidence(testBefore, atBoundary, { ...tally(), file }, run)
      for (const item of evidence) report({ type: 'evidence', evidence: item })
      const holds = evidence.every(item => item.holds)
      report({ type: 'result', holds })
      return holds
    },
  }
}

/**
 * Runs the demonstration in a project: to the boundary, and on from there with a fresh model.
 *
 * @param signal - Aborts it.
 * @returns Whether every piece of the evidence holds.
 */
export async function runDemo(root: string, report: (event: DemoEvent) => void, signal: AbortSignal): Promise<boolean> {
  const demo = await setUpDemo(root, report, signal)
  const workspace = demo.createWorkspace(() => true)
  const options: RunOptions = { signal, inspect: demo.inspect }

  // Nothing keeps the first model: once this has returned, all that is left of it is in the checkpoint.
  const stopping = { ...options, afterToolCalls: DEMO_BOUNDARY }
  const checkpoint = await runToCheckpoint(DEMO_TASK, demo.createModel(), workspace, stopping)
  demo.reachBoundary(checkpoint)

  const freshModel = demo.createModel()
  demo.takeFreshModel(freshModel)
  return demo.conclude(await resumeAgent(checkpoint, freshModel, workspace, options))
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
