import { fromPromise } from 'xstate'

import { type AgentCheckpoint, createCheckpoint } from '../checkpoint/agent-checkpoint.js'
import type { ModelCheckpoint } from '../checkpoint/model-checkpoint.js'
import { readAction } from '../conversation/action.js'
import { AgentError, describeValue } from '../errors.js'
import type { CheckpointableModel } from '../ports.js'
import { callOut } from './call-out.js'
import type { AgentContext, Decision } from './context.js'
import { giveWay } from './give-way.js'

// The three places where the machine calls out. Nothing is retried: a rejection ends the machine with an error.

/** Asks the model for its next response and reads it as an action, once. */
export const callModel = fromPromise<Decision, AgentContext>(async ({ input: context, signal }) => {
  const site = { code: 'model_failed', name: `model.generate at step ${context.step + 1}` } as const
  const turn = giveWay()
  if (turn !== undefined) await turn
  const messages = context.messages.toArray()
  const response: unknown = await callOut(site, [context.signal, signal], own => context.model.generate(messages, own))
  return decide(requireText(response, site), context)
})

/** Runs the tool that was decided and answers its observation. */
export const executeTool = fromPromise<string, AgentContext>(async ({ input: context, signal }) => {
  const action = context.decision?.action
  if (action?.kind !== 'tool') throw new Error('There is no tool action to execute.')
  const site = { code: 'workspace_failed', name: `workspace.execute (${action.tool}) at step ${context.step}` } as const
  const observation: unknown = await callOut(site, [context.signal, signal], own =>
    context.workspace.execute(action, own),
  )
  return requireText(observation, site)
})

/** Asks the model for its snapshot and binds it to the conversation. */
export const saveCheckpoint = fromPromise<AgentCheckpoint, AgentContext>(async ({ input: context, signal }) => {
  const site = { code: 'save_failed', name: 'model.saveCheckpoint at the boundary' } as const
  const model = context.model as CheckpointableModel // checked when the run started
  const messages = context.messages.toArray()
  const snapshot = await callOut<ModelCheckpoint>(site, [context.signal, signal], () => model.saveCheckpoint(messages))
  return createCheckpoint(context.task, messages, snapshot)
})

function decide(response: string, context: AgentContext): Decision {
  try {
    return { response, action: readAction(response, new Set(context.tools)), fault: null }
  } catch (thrown) {
    if (!(thrown instanceof AgentError)) throw thrown
    return { response, action: null, fault: `error: ${thrown.message}` }
  }
}

function requireText(
  value: unknown,
  site: { readonly code: 'model_failed' | 'workspace_failed'; name: string },
): string {
  if (typeof value === 'string') return value
  throw new AgentError(site.code, `${site.name} must answer a string, not ${describeValue(value)}.`)
}
