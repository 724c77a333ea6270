import type { AgentWorkspace, CheckpointableModel, Message, ModelCheckpoint, ToolAction, ToolName } from 'safepoint'
import { ScriptedModel } from 'safepoint'

/** A `ScriptedModel` that keeps each input it was called with. */
export class RecordingModel implements CheckpointableModel {
  readonly inputs: (readonly Message[])[] = []
  readonly #script: ScriptedModel

  constructor(responses: readonly string[]) {
    this.#script = new ScriptedModel(responses)
  }

  generate(messages: readonly Message[]): string {
    this.inputs.push(messages)
    return this.#script.generate(messages)
  }

  saveCheckpoint(messages: readonly Message[]): ModelCheckpoint {
    return this.#script.saveCheckpoint(messages)
  }

  restoreCheckpoint(checkpoint: ModelCheckpoint): void {
    this.#script.restoreCheckpoint(checkpoint)
  }
}

/** A workspace that answers given observations in turn and keeps each action it was asked for. */
export class RecordingWorkspace implements AgentWorkspace {
  readonly actions: ToolAction[] = []
  readonly modifiedFiles: readonly string[] = []
  readonly availableTools: ReadonlySet<ToolName>
  readonly #observations: readonly string[]
  #calls = 0

  constructor(
    observations: readonly string[] = ['observed'],
    tools: readonly ToolName[] = ['list_files', 'read_file'],
  ) {
    this.#observations = observations
    this.availableTools = new Set(tools)
  }

  execute(action: ToolAction): string {
    this.actions.push(action)
    this.#calls += 1
    return this.#observations[(this.#calls - 1) % this.#observations.length] as string
  }
}
