// Lines that must not compile, each with why. The type check fails when one of them does. Nothing here is ever run.
import type {
  AgentAction,
  AgentCheckpoint,
  AgentError,
  AgentErrorCode,
  AgentRun,
  AgentWorkspace,
  CheckpointableModel,
  EffectReceipt,
  Message,
  Model,
  ModelCheckpoint,
  StopReason,
  ToolAction,
} from 'safepoint'
import {
  agentMachine,
  createModelCheckpoint,
  initialMessages,
  parseAction,
  resumeAgent,
  runAgent,
  runToCheckpoint,
  validateCheckpoint,
  Workspace,
} from 'safepoint'
import { createActor } from 'xstate'

declare const model: Model
declare const savable: CheckpointableModel
declare const workspace: AgentWorkspace
declare const checkpoint: AgentCheckpoint
declare const run: AgentRun
declare const action: AgentAction
declare const receipt: EffectReceipt
declare const error: AgentError
declare const message: Message
declare const unknownValue: unknown

export function entryPoints(): void {
  // @ts-expect-error a model that cannot be saved cannot be stopped at the boundary
  void runToCheckpoint('task', model, workspace)
  // @ts-expect-error a model that cannot be restored cannot resume
  void resumeAgent(checkpoint, model, workspace)
  // @ts-expect-error a resume needs a checkpoint, not a task
  void resumeAgent('task', savable, workspace)
  // @ts-expect-error a run that goes to its end has no boundary
  void runAgent('task', model, workspace, { afterToolCalls: 1 })
  // @ts-expect-error there is no limit of that name
  void runAgent('task', model, workspace, { limits: { maxStep: 1 } })
  // @ts-expect-error a signal is an AbortSignal, not a controller
  void runAgent('task', model, workspace, { signal: new AbortController() })
  // @ts-expect-error a model answers a string
  void runAgent('task', { generate: () => 7 }, workspace)
  // @ts-expect-error a workspace says which tools it has
  void runAgent('task', model, { modifiedFiles: [], execute: () => 'ok' })
}

export function machine(): void {
  const input = { task: 'task', model, workspace }
  // @ts-expect-error the machine cannot be started without its input
  createActor(agentMachine)
  // @ts-expect-error a task is a string
  createActor(agentMachine, { input: { ...input, task: 7 } })
  // @ts-expect-error `resume` is the only event there is
  createActor(agentMachine, { input }).send({ type: 'checkpoint' })
  // @ts-expect-error the machine emits interactions only
  createActor(agentMachine, { input }).on('checkpoint', () => undefined)
  // @ts-expect-error there is no such state
  createActor(agentMachine, { input }).getSnapshot().matches('saving')
  // @ts-expect-error the output is a run or a checkpoint: which of them must be looked at
  void createActor(agentMachine, { input }).getSnapshot().output?.reason
}

export function handedOut(): void {
  // @ts-expect-error a checkpoint is frozen
  checkpoint.task = 'other'
  // @ts-expect-error its messages too
  checkpoint.messages.push(['user', 'more'])
  // @ts-expect-error and each of them
  ;(checkpoint.messages[0] as AgentCheckpoint['messages'][number])[1] = 'other'
  // @ts-expect-error a snapshot is frozen
  checkpoint.model.cachedTokenIds.push(1)
  // @ts-expect-error a run is frozen
  run.events.pop()
  // @ts-expect-error a message is frozen
  message.content = 'other'
  // @ts-expect-error a receipt is frozen
  receipt.result = 'other'
  // @ts-expect-error an error keeps its code
  error.code = 'io_failed'
  // @ts-expect-error the first messages are a frozen list
  initialMessages('task', 'prompt').push(message)
  // @ts-expect-error a checkpoint has four fields, and no receipts among them
  void checkpoint.receipts
}

export function actions(): void {
  // @ts-expect-error an action may be final: it has no tool then
  void action.tool
  // @ts-expect-error so may what was parsed
  void parseAction('{}').tool
  if (action.kind === 'tool' && action.tool === 'read_file') {
    // @ts-expect-error the arguments follow from the tool: a read has no content
    void action.arguments.content
  }
  // @ts-expect-error there is no tool of that name
  const shell: ToolAction = { kind: 'tool', tool: 'run_shell', arguments: { command: 'ls' } }
  // @ts-expect-error the arguments of a command are a list, not a line
  const line: ToolAction = { kind: 'tool', tool: 'run_command', arguments: { argv: 'ls -l' } }
  // @ts-expect-error an edit needs what it replaces
  const edit: ToolAction = { kind: 'tool', tool: 'edit_file', arguments: { path: 'a', new: 'b' } }
  // @ts-expect-error tools are named from the closed set
  parseAction('{}', new Set(['run_shell']))
  void [shell, line, edit]
}

export function closedSets(): void {
  // @ts-expect-error the codes are a closed set
  const code: AgentErrorCode = 'something_failed'
  // @ts-expect-error the stop reasons too
  const reason: StopReason = 'aborted'
  // @ts-expect-error a role is one of three
  const tool: Message = { role: 'tool', content: 'x' }
  // @ts-expect-error a snapshot needs its layers
  const snapshot: ModelCheckpoint = { conversationPosition: 0, responseIndex: 0, cachedTokenIds: [] }
  // @ts-expect-error and has no other fields
  createModelCheckpoint({ conversationPosition: 0, responseIndex: 0, cachedTokenIds: [], layerOffsets: [0], note: '' })
  void [code, reason, tool, snapshot]
}

export function validation(): void {
  // @ts-expect-error a value is no checkpoint before it was validated
  void resumeAgent(unknownValue, savable, workspace)
  validateCheckpoint(unknownValue)
  void resumeAgent(unknownValue, savable, workspace)
}

export function workspaces(): void {
  // @ts-expect-error a workspace needs its root
  void new Workspace({})
  // @ts-expect-error a command is a list of its parts
  void new Workspace({ root: '.', allowedCommands: ['npm test'] })
  // @ts-expect-error an approval is a yes or a no, not any truthy value
  void new Workspace({ root: '.' }, { confirmTool: () => 'yes' })
  // @ts-expect-error a denial says why
  void new Workspace({ root: '.' }, { confirmTool: () => ({ approved: false }) })
}
