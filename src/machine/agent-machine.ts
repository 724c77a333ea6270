import { assign, emit, setup } from 'xstate'

import type { AgentCheckpoint } from '../checkpoint/agent-checkpoint.js'
import type { AgentEvent, AgentRun, StopReason } from './agent-run.js'
import {
  type AgentContext,
  appendPair,
  countIdentical,
  type Decision,
  recordDecision,
  recordResult,
} from './context.js'
import { callModel, executeTool, saveCheckpoint } from './effects.js'
import { toOutput } from './output.js'
import { type AgentMachineInput, startContext } from './start.js'

/**
 * The loop as a statechart, and the one place where it may be checkpointed.
 *
 * Usable on its own: `createActor(agentMachine, { input })`. Its output is the checkpoint when the boundary was reached,
 * else the finished `AgentRun`. Input that cannot be run, a collaborator that throws and an aborted `signal` put the
 * actor into status `error`. Every interaction is emitted as `{ type: 'interaction', interaction }` when it is recorded.
 */
export const agentMachine = setup({
  types: {
    context: {} as AgentContext,
    input: {} as AgentMachineInput,
    events: {} as { readonly type: 'resume' },
    emitted: {} as { readonly type: 'interaction'; readonly interaction: AgentEvent },
    output: {} as AgentRun | AgentCheckpoint,
    tags: {} as 'boundary',
  },
  actors: { callModel, executeTool, saveCheckpoint },
  guards: {
    contextLimitReached: ({ context }) => context.contextChars > context.limits.maxContextChars,
    stepLimitReached: ({ context }) => context.step >= context.limits.maxSteps,
    boundaryReached: ({ context }) => context.toolCalls === context.afterToolCalls,
    isFinal: (_, { action }: Decision) => action?.kind === 'final',
    isInvalid: (_, { action }: Decision) => action === null,
    isInvalidTooOften: ({ context }, { action }: Decision) =>
      action === null && context.invalidActions + 1 >= context.limits.maxInvalidActions,
    isRepeatedTooOften: ({ context }, { action }: Decision) =>
      action?.kind === 'tool' && countIdentical(context, action) > context.limits.maxIdenticalActions,
  },
  actions: {
    recordDecision: assign(({ context }, decision: Decision) => recordDecision(context, decision)),
    recordResult: assign(({ context }, result: string | null) => recordResult(context, result)),
    announceInteraction: emit(({ context }) => ({
      type: 'interaction' as const,
      interaction: context.events.last() as AgentEvent,
    })),
    appendPair: assign(({ context }) => appendPair(context)),
    keepCheckpoint: assign((_, checkpoint: AgentCheckpoint) => ({ checkpoint })),
    stop: assign((_, reason: StopReason) => ({ reason })),
  },
}).createMachine({
  id: 'agent',
  context: ({ input }) => startContext(input),
  output: ({ context }) => toOutput(context),
  initial: 'awaitModel',
  states: {
    awaitModel: {
      description: 'The model is asked for its next action, unless the conversation has grown too long.',
      always: { guard: 'contextLimitReached', target: 'done', actions: { type: 'stop', params: 'context_limit' } },
      invoke: {
        id: 'callModel',
        src: 'callModel',
        input: ({ context }) => context,
        onDone: [
          {
            guard: { type: 'isFinal', params: ({ event }) => event.output },
            target: 'done',
            actions: [
              { type: 'recordDecision', params: ({ event }) => event.output },
              { type: 'recordResult', params: null },
              'announceInteraction',
              { type: 'stop', params: 'completed' },
            ],
          },
          {
            guard: { type: 'isInvalidTooOften', params: ({ event }) => event.output },
            target: 'done',
            actions: [
              { type: 'recordDecision', params: ({ event }) => event.output },
              { type: 'recordResult', params: ({ event }) => event.output.fault },
              'announceInteraction',
              { type: 'stop', params: 'invalid_action_limit' },
            ],
          },
          {
            guard: { type: 'isInvalid', params: ({ event }) => event.output },
            target: 'appendObservation',
            actions: [
              { type: 'recordDecision', params: ({ event }) => event.output },
              { type: 'recordResult', params: ({ event }) => event.output.fault },
              'announceInteraction',
            ],
          },
          {
            guard: { type: 'isRepeatedTooOften', params: ({ event }) => event.output },
            target: 'done',
            actions: [
              { type: 'recordDecision', params: ({ event }) => event.output },
              { type: 'recordResult', params: 'error: identical action loop detected' },
              'announceInteraction',
              { type: 'stop', params: 'repeated_action_limit' },
            ],
          },
          {
            target: 'executeTool',
            actions: { type: 'recordDecision', params: ({ event }) => event.output },
          },
        ],
      },
    },
    executeTool: {
      description: 'The tool runs. Its effect may exist from here on, but the conversation does not say so yet.',
      invoke: {
        id: 'executeTool',
        src: 'executeTool',
        input: ({ context }) => context,
        onDone: {
          target: 'appendObservation',
          actions: [{ type: 'recordResult', params: ({ event }) => event.output }, 'announceInteraction'],
        },
      },
    },
    appendObservation: {
      description: 'Both halves join the conversation at once: what the model asked for, and what came of it.',
      entry: 'appendPair',
      always: 'maybeCheckpoint',
    },
    maybeCheckpoint: {
      description: 'The one safe place: every effect that was asked for stands in the conversation with its result.',
      initial: 'boundary',
      states: {
        boundary: {
          description: 'A running machine passes here, without waiting.',
          tags: 'boundary',
          always: [
            { guard: 'boundaryReached', target: 'saving' },
            { guard: 'stepLimitReached', target: '#agent.done', actions: { type: 'stop', params: 'step_limit' } },
            { target: '#agent.awaitModel' },
          ],
        },
        restored: {
          description: 'A restored machine stands here until it is told to resume.',
          tags: 'boundary',
          // The wildcard takes no transition: without it, an error event of no known actor would end the machine.
          on: { resume: '#agent.awaitModel', '*': {} },
        },
        saving: {
          description: 'The model gives its snapshot, which is bound to the conversation.',
          invoke: {
            id: 'saveCheckpoint',
            src: 'saveCheckpoint',
            input: ({ context }) => context,
            onDone: {
              target: '#agent.done',
              actions: { type: 'keepCheckpoint', params: ({ event }) => event.output },
            },
          },
        },
      },
    },
    done: {
      description: 'The run has ended: with a checkpoint, a final answer, or a limit that was reached.',
      type: 'final',
    },
  },
})
