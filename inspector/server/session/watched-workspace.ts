import type { AgentWorkspace, ToolAction } from 'safepoint'

/** What is told of a workspace. Whatever a listener does, it must not throw. */
export interface WorkspaceListener {
  onExecute(action: ToolAction): void
  /** The call has been answered, or has failed. */
  onExecuted(action: ToolAction): void
}

/** The same workspace with each execution told; it answers, throws and lacks things exactly as the workspace does. */
export function watchWorkspace(workspace: AgentWorkspace, listener: WorkspaceListener): AgentWorkspace {
  // What is no workspace is refused by the run itself, in its own words.
  if (typeof workspace !== 'object' || workspace === null || typeof workspace.execute !== 'function') return workspace
  const watched = {
    get availableTools() {
      return workspace.availableTools
    },
    get allowedCommands() {
      return workspace.allowedCommands
    },
    get modifiedFiles() {
      return workspace.modifiedFiles
    },
    execute: (action: ToolAction, signal?: AbortSignal) => {
      listener.onExecute(action)
      let answer: string | Promise<string>
      try {
        answer = workspace.execute(action, signal)
      } catch (thrown) {
        listener.onExecuted(action)
        throw thrown
      }
      if (answer instanceof Promise) return answer.finally(() => listener.onExecuted(action))
      listener.onExecuted(action)
      return answer
    },
  }
  return watched as AgentWorkspace
}
