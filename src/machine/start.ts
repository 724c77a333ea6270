import { type AgentCheckpoint, checkTask } from '../checkpoint/agent-checkpoint.js'
import type { ToolName } from '../conversation/action.js'
import { createMessage, initialMessages, type Message } from '../conversation/message.js'
import { buildSystemPrompt } from '../conversation/system-prompt.js'
import { AgentError, describeThrown, describeValue } from '../errors.js'
import type { AgentWorkspace, CheckpointableModel, Model } from '../ports.js'
import { countCodePoints } from '../unicode.js'
import { AppendOnlyList } from './append-only-list.js'
import type { AgentContext } from './context.js'
import { type AgentLimits, requirePositiveInteger, resolveLimits } from './limits.js'

/** What `agentMachine` is started with. */
export interface AgentMachineInput {
  readonly task: string
  readonly model: Model | CheckpointableModel
  readonly workspace: AgentWorkspace
  readonly limits?: Partial<AgentLimits> | undefined
  /** Stop at the boundary after this many tool calls; the model must be able to save itself then. */
  readonly afterToolCalls?: number | undefined
  /** When it is aborted, the invoked call rejects with its reason, and so does the machine. */
  readonly signal?: AbortSignal | undefined
}

/**
 * The context of a new run. All that the caller may have got wrong is found here, before anything has run.
 *
 * @throws AgentError: `invalid_task`, `invalid_option`, `not_checkpointable`, `workspace_failed`.
 */
export function startContext(input: AgentMachineInput): AgentContext {
  const task = checkTask(input.task)
  const settings = checkSettings(input)
  const prompt = readWorkspace(() => {
    const allowedCommands = input.workspace.allowedCommands
    return buildSystemPrompt({ availableTools: settings.tools, ...(allowedCommands && { allowedCommands }) })
  })
  return createContext(task, settings, initialMessages(task, prompt))
}

/** The context of a resumed run: the saved messages, and budgets that start anew. Throws as `startContext` does. */
export function resumeContext(checkpoint: AgentCheckpoint, input: Omit<AgentMachineInput, 'task'>): AgentContext {
  const messages = checkpoint.messages.map(([role, content]) => createMessage(role, content))
  return createContext(checkpoint.task, checkSettings(input), messages)
}

type Settings = Pick<AgentContext, 'model' | 'workspace' | 'signal' | 'tools' | 'limits' | 'afterToolCalls'>

function checkSettings(input: Omit<AgentMachineInput, 'task'>): Settings {
  const { model, workspace, signal } = input
  const limits = resolveLimits(input.limits)
  const afterToolCalls =
    input.afterToolCalls === undefined ? null : requirePositiveInteger('afterToolCalls', input.afterToolCalls)
  requireMethod('model', model, 'generate', 'invalid_option')
  if (afterToolCalls !== null) requireMethod('model', model, 'saveCheckpoint', 'not_checkpointable')
  requireMethod('workspace', workspace, 'execute', 'invalid_option')
  const tools = readWorkspace(() => new Set<ToolName>(workspace.availableTools))
  return { model, workspace, signal, tools, limits, afterToolCalls }
}

function createContext(task: string, settings: Settings, messages: readonly Message[]): AgentContext {
  return {
    task,
    ...settings,
    messages: AppendOnlyList.of(messages),
    contextChars: messages.reduce((sum, message) => sum + countCodePoints(message.content), 0),
    events: AppendOnlyList.of([]),
    step: 0,
    toolCalls: 0,
    invalidActions: 0,
    identicalActions: 0,
    lastToolAction: null,
    decision: null,
    reason: null,
    checkpoint: null,
  }
}

/** Throws `AgentError` with the code unless the collaborator has the method. */
export function requireMethod(
  name: string,
  value: unknown,
  method: string,
  code: 'invalid_option' | 'not_checkpointable',
): void {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function'
  if (isObject && typeof (value as Record<string, unknown>)[method] === 'function') return
  const what = isObject ? `has no method ${method}` : `must be an object, not ${describeValue(value)}`
  throw new AgentError(code, `The ${name} ${what}; pass one that implements ${method}.`)
}

/** Reads a property of the workspace; what a getter throws is its failure, like that of a call. */
export function readWorkspace<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw new AgentError('workspace_failed', `The workspace cannot be read (${describeThrown(cause)}).`, { cause })
  }
}
