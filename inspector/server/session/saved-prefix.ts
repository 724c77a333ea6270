import type { AgentCheckpoint, Message } from 'safepoint'

/** Whether an input is the conversation that a checkpoint has saved, to the letter. */
export function isSavedPrefix(input: readonly Message[], { messages }: AgentCheckpoint): boolean {
  return (
    input.length === messages.length &&
    input.every(({ role, content }, index) => role === messages[index]?.[0] && content === messages[index]?.[1])
  )
}
