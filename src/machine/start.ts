import { type AgentCheckpoint, checkTask } from '../checkpoint/agent-checkpoint.js'
import { isToolName, type ToolName } from '../conversation/action.js'
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
    return buildSystemPrompt({ availableTools: new Set(settings.tools), ...(allowedCommands && { allowedCommands }) })
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
  const tools = readTools(workspace)
  readModifiedFiles(workspace)
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

/** Throws `AgentError` (`invalid_option`) unless the value is an object. */
export function requireObject(name: string, value: unknown): void {
  if (typeof value === 'object' && value !== null) return
  throw new AgentError('invalid_option', `${name} must be an object, not ${describeValue(value)}.`)
}

/** Throws `AgentError` with the code unless the collaborator has the method. */
export function requireMethod(
  name: string,
  value: unknown,
  method: string,
  code: 'invalid_option' | 'not_checkpointable',
): void {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function'
  if (!isObject) {
    throw new AgentError(code, `The ${name} must be an object, not ${describeValue(value)}; pass one with ${method}.`)
  }
  let found: unknown
  try {
    found = (value as Record<string, unknown>)[method]
  } catch (cause) {
    throw new AgentError(code, `${method} of the ${name} cannot be read (${describeThrown(cause)}).`, { cause })
  }
  if (typeof found === 'function') return
  throw new AgentError(code, `The ${name} has no method ${method}; pass one that implements it.`)
}

// A list, and not the set itself: what a set holds can be changed by whoever gets hold of it, an inspector too.
function readTools(workspace: AgentWorkspace): readonly ToolName[] {
  const { availableTools } = readWorkspace(() => ({ availableTools: workspace.availableTools as unknown }))
  const tools = readWorkspace(() => (isIterable(availableTools) ? [...availableTools] : undefined))
  if (tools?.every(isToolName)) return Object.freeze(tools)
  const fault = describeValue(tools === undefined ? availableTools : tools.find(tool => !isToolName(tool)))
  throw new AgentError('workspace_failed', `availableTools must be a set of tool names, not ${fault}.`)
}

/** The files the workspace says it has changed, copied and frozen. Throws `AgentError` (`workspace_failed`). */
export function readModifiedFiles(workspace: AgentWorkspace): readonly string[] {
  const { modifiedFiles } = readWorkspace(() => ({ modifiedFiles: workspace.modifiedFiles as unknown }))
  const files = readWorkspace(() => (Array.isArray(modifiedFiles) ? Array.from<unknown>(modifiedFiles) : undefined))
  if (files?.every(file => typeof file === 'string')) return Object.freeze(files)
  const fault = describeValue(files === undefined ? modifiedFiles : files.find(file => typeof file !== 'string'))
  throw new AgentError('workspace_failed', `modifiedFiles must be an array of paths, not ${fault}.`)
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value
}

// What a getter throws is the workspace's failure, like that of a call.
function readWorkspace<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw new AgentError('workspace_failed', `The workspace cannot be read (${describeThrown(cause)}).`, { cause })
  }
}
