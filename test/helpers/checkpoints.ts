import { type AgentCheckpoint, createCheckpoint, type Message, type ModelCheckpoint } from 'safepoint'

/** A checkpoint, or a snapshot, as a document that may be changed in any way before it is given back. */
export interface CheckpointDocument {
  [field: string | symbol]: unknown
  checkpointId: unknown
  task: unknown
  messages: unknown
  model: unknown
}

export const TASK = 'inspect the project'

export const MESSAGES: readonly Message[] = [
  { role: 'system', content: 'be careful' },
  { role: 'user', content: TASK },
  { role: 'assistant', content: '{"tool":"list_files"}' },
  { role: 'user', content: 'Tool result:\n(empty directory)' },
]

export const SNAPSHOT: ModelCheckpoint = {
  conversationPosition: 4,
  responseIndex: 1,
  cachedTokenIds: [10, 9, 21],
  layerOffsets: [3, 3],
}

/** A fresh, valid checkpoint. */
export function createSample(): AgentCheckpoint {
  return createCheckpoint(TASK, MESSAGES, SNAPSHOT)
}

/** The same content as a plain document, as `JSON.parse` gives it: nothing in it is frozen. */
export function createDocument(): CheckpointDocument {
  return JSON.parse(JSON.stringify(createSample())) as CheckpointDocument
}
