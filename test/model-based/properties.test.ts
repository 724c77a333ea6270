import fc from 'fast-check'
import {
  type AgentEvent,
  type AgentLimits,
  buildSystemPrompt,
  initialMessages,
  type Message,
  type RunEndedError,
  resumeAgent,
  runAgent,
  runToCheckpoint,
  type ToolAction,
} from 'safepoint'
import { describe, expect, test } from 'vitest'

import { RecordingModel, RecordingWorkspace } from '../helpers/recording.js'
import { check } from './property.js'
import { referenceLoop } from './reference-loop.js'

const TASK = 'inspect'
const prompt = buildSystemPrompt(new RecordingWorkspace())

const path = fc.constantFrom('.', 'a', 'b', '😀')
const response = fc.oneof(
  { weight: 4, arbitrary: path.map(name => JSON.stringify({ tool: 'read_file', path: name })) },
  { weight: 2, arbitrary: path.map(name => JSON.stringify({ path: name, tool: 'list_files' })) },
  { weight: 2, arbitrary: fc.constant('{"tool":"list_files"}') },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1 }).map(text => JSON.stringify({ final: text })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', ' ', '{}', 'null', '[]', '{"tool":"write_file"}', '{"final":"\\u3000"}'),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
  // Halves of a character: ill-formed as text, and as an argument.
  { weight: 1, arbitrary: fc.constantFrom('\ud800', '{"final":"\\udc00"}', '{"tool":"read_file","path":1e400}') },
)
const script = fc.array(response, { maxLength: 12 })
const observations = fc.array(fc.string({ unit: 'binary', maxLength: 40 }), { minLength: 1, maxLength: 4 })
const limits: fc.Arbitrary<AgentLimits> = fc.record({
  maxSteps: fc.integer({ min: 1, max: 12 }),
  maxContextChars: fc.oneof(
    fc.constant(48_000),
    fc.integer({ min: 1, max: 600 }).map(more => prompt.length + more),
  ),
  maxInvalidActions: fc.integer({ min: 1, max: 4 }),
  maxIdenticalActions: fc.integer({ min: 1, max: 3 }),
})
const boundary = fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined })

/** A script that is at its end says that it is done, so that every run comes to an end of its own. */
function complete(responses: readonly string[]): readonly string[] {
  return [...responses, ...Array.from({ length: 20 }, () => '{"final":"the script is over"}')]
}

/** The reference loop over a script, from its `from`-th response and observation on. */
function expected(
  responses: readonly string[],
  results: readonly string[],
  ofLimits: AgentLimits,
  start: readonly Message[],
  afterToolCalls?: number,
  from = { response: 0, call: 0 },
): ReturnType<typeof referenceLoop> {
  let { call } = from
  const generate = (step: number): string => responses[from.response + step - 1] as string
  const execute = (): string => results[call++ % results.length] as string
  return referenceLoop({ generate, execute }, ofLimits, start, afterToolCalls)
}

describe('a run equals the plain loop', () => {
  test('in outcome, events and messages, for any script, limits and boundary', async () => {
    const property = fc.asyncProperty(script, observations, limits, boundary, async (...sample) => {
      const [responses, results, ofLimits, afterToolCalls] = sample
      const played = complete(responses)
      const model = new RecordingModel(played)
      const workspace = new RecordingWorkspace(results)
      const events: AgentEvent[] = []
      const options = { limits: ofLimits, onEvent: (event: AgentEvent) => events.push(event) }
      const reference = expected(played, results, ofLimits, initialMessages(TASK, prompt), afterToolCalls)

      if (reference.reason === 'boundary') {
        const checkpoint = await runToCheckpoint(TASK, model, workspace, { ...options, afterToolCalls })
        expect(checkpoint.messages).toEqual(reference.messages.map(({ role, content }) => [role, content]))
      } else {
        const run = await (afterToolCalls === undefined
          ? runAgent(TASK, model, workspace, options)
          : runToCheckpoint(TASK, model, workspace, { ...options, afterToolCalls }).then(
              () => expect.unreachable('there was no boundary'),
              (error: unknown) => (error as RunEndedError).run,
            ))
        expect(run).toMatchObject({ reason: reference.reason, final: reference.final })
        expect(run.events).toEqual(events)
        const lastInput = model.inputs.at(-1) ?? initialMessages(TASK, prompt)
        expect(reference.messages.slice(0, lastInput.length)).toEqual(lastInput)
      }
      expect(events).toEqual(reference.events)
    })
    await check(property, 5)
  })
})

describe('a resume equals the plain loop from its messages on', () => {
  test('in outcome, events and messages, its budgets anew, twice and independently', async () => {
    const property = fc.asyncProperty(script, observations, limits, limits, async (...sample) => {
      const [responses, results, ofLimits, ofResume] = sample
      const played = complete(responses)
      const start = initialMessages(TASK, prompt)
      for (const afterToolCalls of [1, 2, 3]) {
        const before = expected(played, results, ofLimits, start, afterToolCalls)
        if (before.reason !== 'boundary') return
        const workspace = new RecordingWorkspace(results)
        const options = { limits: ofLimits, afterToolCalls }
        const checkpoint = await runToCheckpoint(TASK, new RecordingModel(played), workspace, options)
        const from = { response: before.events.length, call: afterToolCalls }
        const after = expected(played, results, ofResume, before.messages, undefined, from)
        // The first goes on in the same workspace, the second in one that stands at the same observation.
        const later = new RecordingWorkspace(results)
        for (let call = 0; call < afterToolCalls; call += 1) later.execute({} as ToolAction)
        for (const place of [workspace, later]) {
          const model = new RecordingModel(played)
          const run = await resumeAgent(checkpoint, model, place, { limits: ofResume })
          expect(run).toMatchObject({ reason: after.reason, final: after.final, events: after.events })
          const lastInput = model.inputs.at(-1) ?? before.messages
          expect(after.messages.slice(0, lastInput.length)).toEqual(lastInput)
        }
      }
    })
    await check(property, 3)
  })
})
