export { type AgentCheckpoint, createCheckpoint, validateCheckpoint } from './checkpoint/agent-checkpoint.js'
export { createModelCheckpoint, type ModelCheckpoint } from './checkpoint/model-checkpoint.js'
export {
  type AgentAction,
  type FinalAction,
  parseAction,
  type ToolAction,
  type ToolArguments,
  type ToolName,
} from './conversation/action.js'
export { initialMessages, type Message, type Role } from './conversation/message.js'
export { buildSystemPrompt } from './conversation/system-prompt.js'
export { AgentError, type AgentErrorCode, ERROR_CODES } from './errors.js'
export type { AgentWorkspace, CheckpointableModel, Model } from './ports.js'
