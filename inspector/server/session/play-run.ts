import {
  type AgentCheckpoint,
  type AgentRun,
  type AgentWorkspace,
  type CheckpointableModel,
  RunEndedError,
  type RunOptions,
  resumeAgent,
  resumeToCheckpoint,
  runAgent,
  runToCheckpoint,
} from 'safepoint'

import type { PreparedRun } from './prepared-run.js'

/** What `playRun` drives. */
export interface Play {
  readonly prepared: PreparedRun
  readonly workspace: AgentWorkspace
  readonly options: RunOptions
  /** Whether a resumed run stops at its boundary again. */
  readonly stopsAgain: boolean
  /** Makes a fresh model: for the start, and for the resume from a checkpoint. */
  createModel(from: AgentCheckpoint | null): CheckpointableModel
  /** Resolves when the run is to go on from its boundary. */
  stand(checkpoint: AgentCheckpoint): Promise<void>
}

/**
 * Plays a run from its start to its end, with a stop at each boundary. Between two boundaries nothing keeps a model: all
 * that is left of it is in the checkpoint.
 */
export async function playRun(play: Play): Promise<AgentRun> {
  const { prepared, workspace, options, stopsAgain } = play
  const { task, afterToolCalls } = prepared
  if (afterToolCalls === undefined) return runAgent(task, play.createModel(null), workspace, options)
  const stopping = { ...options, afterToolCalls }
  try {
    let checkpoint = await runToCheckpoint(task, play.createModel(null), workspace, stopping)
    for (;;) {
      await play.stand(checkpoint)
      if (!stopsAgain) return await resumeAgent(checkpoint, play.createModel(checkpoint), workspace, options)
      checkpoint = await resumeToCheckpoint(checkpoint, play.createModel(checkpoint), workspace, stopping)
    }
  } catch (thrown) {
    // The run ended before the boundary: a result like any other.
    if (thrown instanceof RunEndedError) return thrown.run
    throw thrown
  }
}
