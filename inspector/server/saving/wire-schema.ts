import * as z from 'zod'

import type { WireEvent } from '../../wire.js'

// What a page relies on, of everything that may be read from a file. Fields that are not known are kept.

const count = z.number()
const cutText = z.looseObject({ text: z.string(), length: count })
const base = { index: z.int().nonnegative(), at: count, sessionId: z.string(), omitted: z.exactOptional(count) }
const named = z.looseObject({ type: z.string() })
const action = z.looseObject({ kind: z.enum(['tool', 'final', 'invalid']), name: z.string(), json: cutText })
const model = z.looseObject({
  conversationPosition: count,
  responseIndex: count,
  cachedTokenIds: z.array(count),
  cachedTokenCount: count,
  layerOffsets: z.array(count),
})
const tally = z.looseObject({
  approvals: count,
  receipts: z.array(
    z.looseObject({
      receiptId: z.string(),
      toolCallId: z.string(),
      tool: z.string(),
      exitState: z.enum(['ok', 'error']),
      result: cutText,
    }),
  ),
  executions: z.record(z.string(), count),
})

const agent = z.looseObject({
  status: z.enum(['active', 'done', 'error', 'stopped']),
  value: z.unknown(),
  context: z.looseObject({
    step: count,
    toolCalls: count,
    afterToolCalls: count.nullable(),
    invalidActions: count,
    identicalActions: count,
    contextChars: count,
    limits: z.looseObject({
      maxSteps: count,
      maxContextChars: count,
      maxInvalidActions: count,
      maxIdenticalActions: count,
    }),
    messageCount: count,
    newMessages: z.array(z.looseObject({ role: z.enum(['system', 'user', 'assistant']), content: cutText })),
    decision: z.looseObject({ response: cutText, action }).nullable(),
    newInteractions: z.array(z.looseObject({ step: count, action, result: cutText.nullable() })),
    reason: z.string().nullable(),
  }),
})

const session = z.looseObject({
  status: z.enum(['active', 'done']),
  value: z.enum(['running', 'paused', 'approval', 'boundary', 'completed', 'aborted', 'failed']),
  context: z.looseObject({
    task: z.string(),
    run: count,
    agent: z.string().nullable(),
    modelGate: z.enum(['open', 'shut', 'step']),
    pending: z
      .looseObject({
        id: count,
        tool: z.string(),
        argv: z.exactOptional(z.array(z.string())),
        path: z.exactOptional(z.string()),
        diff: z.exactOptional(cutText),
      })
      .nullable(),
    approvals: z.array(z.looseObject({ tool: z.string(), approved: z.boolean(), reason: z.exactOptional(z.string()) })),
    checkpoint: z.looseObject({ checkpointId: z.string(), messages: count, model }).nullable(),
    restored: z.looseObject({ model, prefixMatches: z.boolean().nullable() }).nullable(),
    atBoundary: tally.nullable(),
    now: tally,
    files: z.array(z.looseObject({ path: z.string(), diff: cutText })),
    outcome: z.looseObject({ reason: z.string(), final: cutText.nullable() }).nullable(),
    error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
    controllable: z.boolean(),
  }),
})

const point = { x: count, y: count }
const box = { ...point, width: count, height: count }
const layout = z.looseObject({
  width: count,
  height: count,
  states: z.array(
    z.looseObject({
      id: z.string(),
      key: z.string(),
      description: z.string(),
      tags: z.array(z.string()),
      invokes: z.array(z.string()),
      type: z.enum(['atomic', 'compound', 'final']),
      parent: z.string().nullable(),
      ...box,
    }),
  ),
  transitions: z.array(
    z.looseObject({
      id: z.string(),
      source: z.string(),
      target: z.string(),
      event: z.string(),
      guard: z.string().nullable(),
      order: count,
      isGate: z.exactOptional(z.literal(true)),
      points: z.array(z.looseObject(point)),
      label: z.looseObject({ text: z.string(), ...box }).nullable(),
    }),
  ),
})

const snapshot = z.union([agent, session])

/** An event of the wire, as it may be read from a trace. */
export const wireEventSchema = z.discriminatedUnion('type', [
  z.looseObject({
    ...base,
    type: z.literal('@xstate.actor'),
    name: z.string(),
    definition: z.exactOptional(z.string()),
    layout: z.exactOptional(layout),
    snapshot,
  }),
  z.looseObject({ ...base, type: z.literal('@xstate.event'), event: named }),
  z.looseObject({ ...base, type: z.literal('@xstate.snapshot'), event: named, snapshot }),
]) satisfies z.ZodType<WireEvent>
