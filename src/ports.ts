import type { ModelCheckpoint } from './checkpoint/model-checkpoint.js'
import type { ToolAction, ToolName } from './conversation/action.js'
import type { Message } from './conversation/message.js'

/**
 * Who decides. The loop calls it once a step and never again for the same step.
 */
export interface Model {
  /**
   * Answers the next response to a conversation, which is frozen and complete. `signal` is aborted when the run is: a
   * response that comes after that is ignored. May throw or reject: the run then rejects with an `AgentError`
   * (`model_failed`) whose `cause` is the very value thrown. Anything but a string ends the run in the same way.
   */
  generate(messages: readonly Message[], signal: AbortSignal): string | Promise<string>
}

/** A model that can be saved at the boundary and restored into a fresh object. */
export interface CheckpointableModel extends Model {
  /**
   * Called once, at the boundary, with exactly the messages that the checkpoint binds. Returns the snapshot; its
   * `conversationPosition` must be the number of messages. May throw or reject (`save_failed`): no checkpoint is made.
   */
  saveCheckpoint(messages: readonly Message[]): ModelCheckpoint | Promise<ModelCheckpoint>
  /**
   * Called once on a fresh model, before its first `generate`. May throw or reject (`restore_failed`): nothing has been
   * started then.
   */
  restoreCheckpoint(checkpoint: ModelCheckpoint): void | Promise<void>
}

/** What the model may touch. `Workspace` is the one that ships; any object of this shape will do. */
export interface AgentWorkspace {
  /** The tools this run may name; read once, when a run starts. */
  readonly availableTools: ReadonlySet<ToolName>
  /** Workspace-relative paths that were changed; read when a run starts, to find a fault early, and when it ends. */
  readonly modifiedFiles: readonly string[]
  /** The exact commands that `run_command` accepts, for the system prompt. */
  readonly allowedCommands?: readonly (readonly string[])[]
  /**
   * Runs one action and answers the observation. What the model can mend comes back as a text that begins with
   * `error: `. A throw, a rejection, or anything but a string ends the run (`workspace_failed`). When `signal` is
   * aborted, nothing new may be started; a write that is under way is completed. The arguments have the right shape,
   * but a text may hold a lone surrogate, which cannot be written faithfully: refuse it, as `Workspace` does.
   */
  execute(action: ToolAction, signal?: AbortSignal): string | Promise<string>
}
