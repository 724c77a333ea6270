import type { agentMachine, Message } from 'safepoint'
import type { SnapshotFrom } from 'xstate'

import type { AgentSnapshot, CutText } from '../../wire.js'
import { countCodePoints, cutText, MOST_TEXT } from './cut-text.js'
import { toWireAction } from './wire-action.js'

type MachineSnapshot = SnapshotFrom<typeof agentMachine>
type MachineContext = MachineSnapshot['context']

/** The most messages that one snapshot carries: a resume brings a whole conversation at once. */
const MOST_MESSAGES = 100

/** A result stands in its message, too, and is sent at length there. */
const MOST_RESULT = 1_000

/** What stands before every observation in its message. */
const PREFIX = 'Tool result:\n'

/**
 * Turns the snapshots of one agent's actor into what is sent of them. Each costs as much as is sent of what is new in
 * it, however long the run or an observation is; nothing of the machine is kept or handed out.
 */
export class AgentSnapshots {
  #messages = 0
  #interactions = 0
  #chars = 0

  /** `undefined` for a machine that never came to be: input that cannot be run leaves no context. */
  trim(snapshot: MachineSnapshot): AgentSnapshot | undefined {
    const context = snapshot.context as MachineContext | undefined
    if (context?.messages === undefined) return undefined
    const { decision, limits, contextChars } = context
    const news = this.#readNews(context)
    return {
      status: snapshot.status,
      value: snapshot.value,
      context: {
        step: context.step,
        toolCalls: context.toolCalls,
        afterToolCalls: context.afterToolCalls,
        invalidActions: context.invalidActions,
        identicalActions: context.identicalActions,
        contextChars,
        limits,
        messageCount: context.messages.length,
        ...news,
        decision: decision && {
          response: cutText(decision.response),
          action: toWireAction(decision.action, decision.response),
        },
        reason: context.reason,
      },
    }
  }

  #readNews(context: MachineContext): Pick<AgentSnapshot['context'], 'newMessages' | 'newInteractions'> {
    const { messages, events, contextChars } = context
    const interactions = events.tail(this.#interactions)
    const added = messages.tail(Math.max(this.#messages, messages.length - MOST_MESSAGES))
    const chars = contextChars - this.#chars
    this.#interactions = events.length
    this.#messages = messages.length
    this.#chars = contextChars
    const pair = readLongPair(added, interactions[0]?.result, chars)
    return {
      newMessages: added.map(({ role, content }, index) =>
        pair !== undefined && index === 1 ? { role, content: pair.observation } : { role, content: cutText(content) },
      ),
      newInteractions: interactions.map(({ step, action, response, result }) => ({
        step,
        action: toWireAction(action, response),
        result: result === null ? null : (pair?.result ?? cutText(result, MOST_RESULT)),
      })),
    }
  }
}

/**
 * A pair with a long observation, which may have 20 million characters. The machine has counted them already, so they
 * are not counted again; and the message is not read, because it is made of two texts that the engine would join for it.
 */
function readLongPair(
  added: readonly Message[],
  result: string | null | undefined,
  chars: number,
): { readonly observation: CutText; readonly result: CutText } | undefined {
  const [asked, observed] = added
  if (added.length !== 2 || !asked || !observed || typeof result !== 'string' || result.length <= MOST_TEXT) {
    return undefined
  }
  if (observed.role !== 'user' || observed.content.length !== PREFIX.length + result.length) return undefined
  const length = chars - countCodePoints(asked.content)
  const resultLength = length - PREFIX.length
  const { text } = cutText(result, MOST_TEXT - PREFIX.length, resultLength)
  return { result: cutText(result, MOST_RESULT, resultLength), observation: { text: PREFIX + text, length } }
}
