import type {
  AgentCheckpoint,
  AgentLimits,
  AgentRun,
  AgentWorkspace,
  CheckpointableModel,
  ConfirmTool,
  ReceiptStore,
  RunOptions,
} from 'safepoint'

/** A run that can be inspected: what it is made of, and what is told of it. */
export interface PreparedRun {
  readonly task: string
  /** The directory that the workspace changes. Without it a change is shown from the action alone. */
  readonly root?: string
  /** After how many tool calls the run stops at its boundary; without it, it runs to its end. */
  readonly afterToolCalls?: number
  readonly limits?: Partial<AgentLimits>
  /** A fresh model: called once for the start and once for each resume. The inspector keeps none of them. */
  createModel(): CheckpointableModel
  /** The workspace, made once. It must ask `confirmTool` before each effect; `Workspace` does. */
  createWorkspace(confirmTool: ConfirmTool): PreparedWorkspace
  /** As in `RunOptions`, beside the inspector's own. */
  readonly inspect?: RunOptions['inspect']
  readonly onEvent?: RunOptions['onEvent']
  /** Told when the boundary was reached, when a fresh model is about to be resumed, and when the run has ended. */
  onCheckpoint?(checkpoint: AgentCheckpoint): void
  onFreshModel?(model: CheckpointableModel): void
  onEnd?(end: RunEnd): void | Promise<void>
  /** Removes what the run leaves behind; called once, when the run is over and no longer looked at. */
  dispose?(): void | Promise<void>
}

export interface PreparedWorkspace {
  readonly workspace: AgentWorkspace
  readonly receipts?: ReceiptStore
}

/** Makes a run; called again for each "run again". The signal is aborted when the inspector is closed meanwhile. */
export type PrepareRun = (signal: AbortSignal) => PreparedRun | Promise<PreparedRun>

/** How a run ended. Reaching a limit is a result like any other. */
export type RunEnd =
  | { readonly phase: 'completed'; readonly run: AgentRun }
  | { readonly phase: 'aborted' | 'failed'; readonly error: unknown }
