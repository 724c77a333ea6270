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
export { agentMachine } from './machine/agent-machine.js'
export type { AgentEvent, AgentRun, StopReason } from './machine/agent-run.js'
export type { AgentLimits } from './machine/limits.js'
export {
  type CheckpointOptions,
  type RunOptions,
  resumeAgent,
  resumeToCheckpoint,
  runAgent,
  runToCheckpoint,
} from './machine/run.js'
export { RunEndedError } from './machine/run-ended-error.js'
export type { AgentMachineInput } from './machine/start.js'
export { ScriptedModel } from './model/scripted-model.js'
export type { AgentWorkspace, CheckpointableModel, Model } from './ports.js'
export type { Approval, ConfirmTool } from './workspace/approval.js'
export type { ToolPolicy, ToolPolicyInput } from './workspace/policy.js'
export { createReceipt, type EffectReceipt, type ReceiptFields } from './workspace/receipt.js'
export { ReceiptStore } from './workspace/receipt-store.js'
export { Workspace, type WorkspaceOptions } from './workspace/workspace.js'
