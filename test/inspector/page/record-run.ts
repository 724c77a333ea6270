import {
  type AgentLimits,
  type AgentWorkspace,
  agentMachine,
  resumeAgent,
  runAgent,
  runToCheckpoint,
  ScriptedModel,
} from 'safepoint'
import type { InspectionEvent, SnapshotFrom } from 'xstate'
import { layoutChart } from '../../../inspector/server/chart/layout.js'
import type { AgentSnapshot, ChartLayout, CutText, Phase, SessionSnapshot, WireEvent } from '../../../inspector/wire.js'
import { RecordingWorkspace } from '../../helpers/recording.js'
import { SessionScript } from './session-script.js'

type MachineSnapshot = SnapshotFrom<typeof agentMachine>
type Change = Parameters<SessionScript['change']>[1]
// `Omit` of a union would keep only what all its members have.
type Numberless = {
  [Type in WireEvent['type']]: Omit<Extract<WireEvent, { type: Type }>, 'index' | 'at'>
}[WireEvent['type']]

/** How long the machine seems to stay, by the child that it waits for. */
const SEEMING: Readonly<Record<string, number>> = { awaitModel: 640, executeTool: 212, maybeCheckpoint: 38 }

/** Runs the real machine and keeps what the wire would carry, with a clock of its own that is the same every time. */
export class Recorder {
  readonly events: WireEvent[] = []
  readonly session: SessionScript
  #at = 0
  #agents = 0

  private constructor(
    readonly layout: ChartLayout,
    start: Change,
  ) {
    this.session = new SessionScript(start)
    this.#push({ type: '@xstate.actor', sessionId: 'session', name: 'session', snapshot: this.session.snapshot })
  }

  static async create(start: Change = {}): Promise<Recorder> {
    return new Recorder(await layoutChart(JSON.stringify(agentMachine.config)), start)
  }

  /** A change of the session, `later` milliseconds after what was before. */
  say(phase: Phase, change: Change, later = 1): void {
    this.#at += later
    this.tell(this.session.change(phase, change))
  }

  tell(snapshot: SessionSnapshot): void {
    this.#push({ type: '@xstate.snapshot', sessionId: 'session', event: { type: 'session.update' }, snapshot })
  }

  /** An inspect function for one actor of the agent. */
  inspect(): (event: InspectionEvent) => void {
    this.#agents += 1
    const sessionId = `agent:${this.#agents}`
    const sent = { messages: 0, interactions: 0 }
    let stays: string | null = null
    return event => {
      if (event.actorRef.sessionId !== event.rootId) return
      if (event.type === '@xstate.event' && stays !== null) {
        this.#at += SEEMING[stays] ?? 0
        this.#push({ type: event.type, sessionId, event: { type: event.event.type } })
      }
      const isStart = event.type === '@xstate.snapshot' && stays === null
      if (event.type !== '@xstate.microstep' && !isStart) return
      this.#at += 0.06
      const snapshot = trim(event.snapshot as MachineSnapshot, sent)
      if (stays === null) {
        const { layout } = this
        this.#push({ type: '@xstate.actor', sessionId, name: 'agent', definition: '{}', layout, snapshot })
      } else this.#push({ type: '@xstate.snapshot', sessionId, event: { type: event.event.type }, snapshot })
      stays = typeof snapshot.value === 'string' ? snapshot.value : 'maybeCheckpoint'
    }
  }

  #push(event: Numberless): void {
    this.events.push({ ...event, index: this.events.length, at: this.#at })
  }
}

function trim(
  { status, value, context }: MachineSnapshot,
  sent: { messages: number; interactions: number },
): AgentSnapshot {
  const messages = context.messages.toArray()
  const interactions = context.events.toArray()
  const newMessages = messages.slice(sent.messages).map(({ role, content }) => ({ role, content: uncut(content) }))
  const newInteractions = interactions.slice(sent.interactions).map(({ step, response, action, result }) => ({
    step,
    action: toWireAction(action, response),
    result: result === null ? null : uncut(result),
  }))
  sent.messages = messages.length
  sent.interactions = interactions.length
  const { decision } = context
  return {
    status,
    value,
    context: {
      step: context.step,
      toolCalls: context.toolCalls,
      afterToolCalls: context.afterToolCalls,
      invalidActions: context.invalidActions,
      identicalActions: context.identicalActions,
      contextChars: context.contextChars,
      limits: context.limits,
      messageCount: messages.length,
      newMessages,
      decision: decision && {
        response: uncut(decision.response),
        action: toWireAction(decision.action, decision.response),
      },
      newInteractions,
      reason: context.reason,
    },
  }
}

function toWireAction(
  action: object | null,
  response: string,
): AgentSnapshot['context']['newInteractions'][number]['action'] {
  if (action === null) return { kind: 'invalid', name: 'invalid', json: uncut(response) }
  const tool = 'tool' in action ? String(action.tool) : null
  return { kind: tool === null ? 'final' : 'tool', name: tool ?? 'final', json: uncut(JSON.stringify(action)) }
}

export function uncut(text: string): CutText {
  return { text, length: [...text].length }
}

export interface Story {
  readonly script: readonly string[]
  readonly observations: readonly string[]
  readonly boundary: number
  /** Told right before a tool answers: what the session would say then. */
  readonly beforeTool?: (recorder: Recorder, call: number) => void
}

/** Runs to the boundary; gives back how to go on with a fresh model. */
export async function recordToBoundary(recorder: Recorder, story: Story): Promise<() => Promise<void>> {
  const { script, observations, boundary } = story
  const inner = new RecordingWorkspace(observations, ['read_file', 'edit_file', 'run_command'])
  let call = 0
  const workspace: AgentWorkspace = {
    availableTools: inner.availableTools,
    modifiedFiles: [],
    execute: action => {
      call += 1
      story.beforeTool?.(recorder, call)
      return inner.execute(action)
    },
  }
  const task = recorder.session.context.task
  const limits = { maxSteps: Math.max(8, script.length), maxContextChars: 10_000_000 }
  const options = { inspect: recorder.inspect(), afterToolCalls: boundary, ...(script.length > 8 && { limits }) }
  const checkpoint = await runToCheckpoint(task, new ScriptedModel(script), workspace, options)
  const model = { ...checkpoint.model, cachedTokenCount: checkpoint.model.cachedTokenIds.length }
  const { checkpointId, messages } = checkpoint
  const bound = { checkpointId, messages: messages.length, model }
  recorder.say('boundary', { checkpoint: bound, atBoundary: recorder.session.context.now })
  return async () => {
    recorder.say('running', { restored: { model, prefixMatches: null } }, 4200)
    const run = await resumeAgent(checkpoint, new ScriptedModel(script), workspace, { inspect: recorder.inspect() })
    recorder.say('running', { restored: { model, prefixMatches: true } })
    recorder.say('completed', { outcome: { reason: run.reason, final: run.final === null ? null : uncut(run.final) } })
  }
}

/** Runs a script to its end under given limits. */
export async function recordToEnd(
  recorder: Recorder,
  script: readonly string[],
  limits: Partial<AgentLimits>,
): Promise<void> {
  const model = new ScriptedModel(script)
  const { task } = recorder.session.context
  await runAgent(task, model, new RecordingWorkspace(), { limits, inspect: recorder.inspect() })
}
