import fc from 'fast-check'
import {
  type AgentCheckpoint,
  AgentError,
  createCheckpoint,
  createModelCheckpoint,
  type Message,
  type ModelCheckpoint,
  type Role,
  validateCheckpoint,
} from 'safepoint'
import { describe, expect, it } from 'vitest'
import { createDocument, createSample, MESSAGES, SNAPSHOT, TASK } from '../helpers/checkpoints.js'
import { anyText } from '../helpers/texts.js'
import { catchThrown, findUnfrozen } from '../helpers/values.js'

function refusalOf(call: () => unknown, code: string): string {
  const thrown = catchThrown(call)
  expect(thrown).toBeInstanceOf(AgentError)
  expect(thrown).toMatchObject({ code })
  return (thrown as AgentError).message
}

/** The message with which a value is refused as a checkpoint. */
function refusal(value: unknown): string {
  return refusalOf(() => {
    validateCheckpoint(value)
  }, 'invalid_checkpoint')
}

describe('createCheckpoint', () => {
  it('binds the task, the messages as pairs and the snapshot', () => {
    const checkpoint = createSample()
    expect(checkpoint).toStrictEqual({
      checkpointId: expect.stringMatching(/^[0-9a-f]{64}$/),
      task: TASK,
      messages: MESSAGES.map(({ role, content }) => [role, content]),
      model: SNAPSHOT,
    })
    expect(Object.keys(checkpoint)).toEqual(['checkpointId', 'task', 'messages', 'model'])
  })

  it('is deeply frozen, and no longer tied to what it was made from', () => {
    const messages = MESSAGES.map(message => ({ ...message }))
    const model = {
      ...SNAPSHOT,
      cachedTokenIds: [...SNAPSHOT.cachedTokenIds],
      layerOffsets: [...SNAPSHOT.layerOffsets],
    }
    const checkpoint = createCheckpoint(TASK, messages, model)
    const before = structuredClone(checkpoint)
    messages.push({ role: 'user', content: 'more' })
    Object.assign(messages[0] as object, { content: 'changed' })
    model.cachedTokenIds.push(1)
    expect(checkpoint).toStrictEqual(before)
    expect(findUnfrozen(checkpoint)).toEqual([])
  })

  it('changes nothing of what it is given', () => {
    const messages = MESSAGES.map(message => ({ ...message }))
    const model = structuredClone(SNAPSHOT)
    createCheckpoint(TASK, messages, model)
    expect(messages).toStrictEqual(MESSAGES)
    expect(model).toStrictEqual(SNAPSHOT)
    expect(findUnfrozen([messages, model]).length).toBe(messages.length + 5)
  })

  it('saves of a message its role and content only', () => {
    const messages = MESSAGES.map(message => ({ ...message, time: 1 }))
    expect(createCheckpoint(TASK, messages, SNAPSHOT)).toStrictEqual(createSample())
  })

  it('writes -0 as 0', () => {
    const checkpoint = createCheckpoint(TASK, MESSAGES, { ...SNAPSHOT, responseIndex: -0, cachedTokenIds: [-0, 1, 2] })
    expect(Object.is(checkpoint.model.responseIndex, 0)).toBe(true)
    expect(Object.is(checkpoint.model.cachedTokenIds[0], 0)).toBe(true)
  })

  const blank = ['', ' ', '\n\t', '\u0085', '\u001c\u001f', '\u2028\u3000']
  for (const [index, task] of [...blank, null, undefined, 1, ['task'], new String('task')].entries()) {
    it(`refuses a task that is blank or no string, value ${index}`, () => {
      const create = () => createCheckpoint(task as string, MESSAGES, SNAPSHOT)
      expect(refusalOf(create, 'invalid_task')).toContain('The task must be a string that is not blank')
    })
  }

  it.each(['\ufeff', '\u180e', '\u200b', ' x '])('takes the task %j, which is not blank', task => {
    expect(createCheckpoint(task, MESSAGES, SNAPSHOT).task).toBe(task)
  })

  it('refuses to save no messages', () => {
    const create = () => createCheckpoint(TASK, [], { ...SNAPSHOT, conversationPosition: 0 })
    expect(refusalOf(create, 'invalid_message')).toContain('at least one message')
  })

  const noMessages = [null, undefined, 0, 'text', {}, { length: 0 }, [null], [undefined], ['text'], new Array(4), [{}]]
  const odd = [[{ role: 'tool', content: '' }], [{ role: 'user' }], [{ role: 'user', content: 1 }], [['user', 'text']]]
  for (const [index, messages] of [...noMessages, ...odd].entries()) {
    it(`refuses what are no messages, value ${index}`, () => {
      refusalOf(() => createCheckpoint(TASK, messages as unknown as Message[], SNAPSHOT), 'invalid_message')
    })
  }

  it.each([0, 3, 5])('refuses a snapshot that stands at %i of four messages', conversationPosition => {
    const create = () => createCheckpoint(TASK, MESSAGES, { ...SNAPSHOT, conversationPosition })
    expect(refusalOf(create, 'invalid_model_checkpoint')).toContain(`position ${conversationPosition}`)
  })

  it('refuses a snapshot that is not coherent', () => {
    for (const model of [null, undefined, {}, { ...SNAPSHOT, layerOffsets: [1] }, { ...SNAPSHOT, more: 1 }]) {
      refusalOf(() => createCheckpoint(TASK, MESSAGES, model as ModelCheckpoint), 'invalid_model_checkpoint')
    }
  })
})

describe('a checkpoint', () => {
  it('survives JSON, structured clone and both, whatever it holds', () => {
    fc.assert(
      fc.property(anyCheckpoint, checkpoint => {
        validateCheckpoint(checkpoint)
        const parsed = JSON.parse(JSON.stringify(checkpoint)) as unknown
        validateCheckpoint(parsed)
        validateCheckpoint(structuredClone(checkpoint))
        validateCheckpoint(structuredClone(parsed))
        expect(parsed).toStrictEqual(structuredClone(checkpoint))
      }),
    )
  })

  it('has an id that does not depend on the order of the fields', () => {
    const { checkpointId, task, messages, model } = createSample()
    const { conversationPosition, responseIndex, cachedTokenIds, layerOffsets } = model
    validateCheckpoint({
      model: { layerOffsets, cachedTokenIds, responseIndex, conversationPosition },
      messages,
      task,
      checkpointId,
    })
    const other = createModelCheckpoint({ layerOffsets, cachedTokenIds, responseIndex, conversationPosition })
    expect(createCheckpoint(task, MESSAGES, other).checkpointId).toBe(checkpointId)
  })

  it('has another id when anything in it is another', () => {
    const others = [
      createCheckpoint(`${TASK}.`, MESSAGES, SNAPSHOT),
      createCheckpoint(TASK, [...MESSAGES].reverse(), SNAPSHOT),
      createCheckpoint(TASK, MESSAGES.with(0, { role: 'user', content: 'be careful' }), SNAPSHOT),
      createCheckpoint(TASK, MESSAGES.with(0, { role: 'system', content: 'be Careful' }), SNAPSHOT),
      createCheckpoint(TASK, MESSAGES.slice(1), { ...SNAPSHOT, conversationPosition: 3 }),
      createCheckpoint(TASK, MESSAGES, { ...SNAPSHOT, responseIndex: 2 }),
      createCheckpoint(TASK, MESSAGES, { ...SNAPSHOT, cachedTokenIds: [10, 9, 22] }),
      createCheckpoint(TASK, MESSAGES, { ...SNAPSHOT, layerOffsets: [3] }),
    ]
    expect(new Set([createSample(), ...others].map(({ checkpointId }) => checkpointId)).size).toBe(others.length + 1)
  })
})

describe('validateCheckpoint passes', () => {
  it('a checkpoint and its plain copy, and changes neither', () => {
    const document = createDocument()
    const before = structuredClone(document)
    validateCheckpoint(createSample())
    validateCheckpoint(document)
    expect(document).toStrictEqual(before)
    expect(findUnfrozen(document).length).toBe(2 + MESSAGES.length + 3)
  })

  it('a document that holds -0, whose id is that of 0', () => {
    const zero = createCheckpoint(TASK, MESSAGES, { ...SNAPSHOT, responseIndex: 0 })
    validateCheckpoint({ ...zero, model: { ...zero.model, responseIndex: -0 } })
  })

  it('a checkpoint of 20,000 messages and 200,000 tokens', () => {
    const messages = Array.from({ length: 20_000 }, (_, index): Message => ({ role: 'user', content: `${index}` }))
    const cachedTokenIds = Array.from({ length: 200_000 }, (_, index) => index)
    const model = { conversationPosition: messages.length, responseIndex: 0, cachedTokenIds, layerOffsets: [200_000] }
    validateCheckpoint(createCheckpoint(TASK, messages, model))
  })
})

describe('validateCheckpoint refuses', () => {
  it.each(['checkpointId', 'task', 'messages', 'model'])('a checkpoint without %s', field => {
    const { [field]: _, ...rest } = createDocument()
    expect(refusal(rest)).toContain(`The checkpoint lacks the field "${field}"`)
  })

  it('fields that are inherited only', () => {
    expect(refusal(Object.create(createDocument()))).toContain('lacks the field')
  })

  it.each(['receipts', 'parent', '__proto__', 'constructor', ''])('a checkpoint with the further field %j', name => {
    const text = `${JSON.stringify(createSample()).slice(0, -1)},${JSON.stringify(name)}:{}}`
    expect(refusal(JSON.parse(text))).toContain(`The checkpoint has an unexpected field ${JSON.stringify(name)}`)
  })

  it('a further field that is a symbol, or hidden', () => {
    expect(refusal({ ...createDocument(), [Symbol('more')]: 1 })).toContain('unexpected field')
    expect(refusal(Object.defineProperty(createDocument(), 'more', { value: 1 }))).toContain('unexpected field')
  })

  it('a snapshot with a field less or more', () => {
    for (const field of Object.keys(SNAPSHOT)) {
      const { [field]: _, ...rest } = createDocument().model as Record<string, unknown>
      expect(refusal({ ...createDocument(), model: rest })).toContain(`The model snapshot lacks the field "${field}"`)
    }
    const more = { ...SNAPSHOT, cache: 'on disk' }
    expect(refusal({ ...createDocument(), model: more })).toContain(
      'The model snapshot has an unexpected field "cache"',
    )
  })

  it.each([[[]], [['user']], [['user', 'a', 'b']], [{ role: 'user', content: 'a' }], ['user'], [null], [undefined]])(
    'the message %j, which is no pair',
    pair => {
      const messages = (createDocument().messages as unknown[]).with(3, pair)
      expect(refusal({ ...createDocument(), messages })).toContain('messages[3] must')
    },
  )

  it.each(['', 'tool', 'System', 'user ', '__proto__', null, 0, ['user'], new String('user')])('the role %j', role => {
    const messages = (createDocument().messages as unknown[]).with(2, [role, 'text'])
    expect(refusal({ ...createDocument(), messages })).toContain('messages[2] has the unknown role')
  })

  it.each([null, undefined, 0, ['text'], { text: '' }, new String('text')])('the content %j', content => {
    const messages = (createDocument().messages as unknown[]).with(1, ['user', content])
    expect(refusal({ ...createDocument(), messages })).toContain('messages[1] has a content that is not a string')
  })

  it('no messages', () => {
    expect(refusal({ ...createDocument(), messages: [] })).toContain('at least one message')
    for (const messages of [null, undefined, {}, 'text', 4, new Map()]) {
      expect(refusal({ ...createDocument(), messages })).toContain('messages must be an array')
    }
  })

  it.each(['', ' \n', '\u001c', null, undefined, 1, {}, new String(TASK)])('the task %j', task => {
    expect(refusal({ ...createDocument(), task })).toContain('The task must be a string that is not blank')
  })

  it('a position that is not the number of messages', () => {
    for (const conversationPosition of [0, 3, 5]) {
      const model = { ...SNAPSHOT, conversationPosition }
      expect(refusal({ ...createDocument(), model })).toContain(`stands at position ${conversationPosition}`)
    }
  })

  it('an id that is no string, or not that of the content', () => {
    const { checkpointId } = createSample()
    for (const id of [null, undefined, 0, [checkpointId], new String(checkpointId)]) {
      expect(refusal({ ...createDocument(), checkpointId: id })).toContain('checkpointId must be a string')
    }
    for (const id of ['', checkpointId.toUpperCase(), checkpointId.slice(1), ` ${checkpointId}`, '0'.repeat(64)]) {
      expect(refusal({ ...createDocument(), checkpointId: id })).toContain('does not match the content')
    }
  })

  it('any change of the content that the id does not know', () => {
    const model = { ...SNAPSHOT, responseIndex: 2 }
    expect(refusal({ ...createDocument(), model })).toContain('does not match the content')
    expect(refusal({ ...createDocument(), task: 'another' })).toContain('does not match the content')
    const messages = (createDocument().messages as unknown[]).with(0, ['system', 'be careless'])
    expect(refusal({ ...createDocument(), messages })).toContain('does not match the content')
  })
})

const anyCheckpoint: fc.Arbitrary<AgentCheckpoint> = fc
  .record({
    task: anyText.map(text => `do ${text}`),
    messages: fc.array(
      fc.record(
        { role: fc.constantFrom<Role>('system', 'user', 'assistant'), content: anyText },
        { noNullPrototype: true },
      ),
      { minLength: 1 },
    ),
    responseIndex: fc.maxSafeNat(),
    cachedTokenIds: fc.array(fc.maxSafeNat()),
    layers: fc.integer({ min: 1, max: 5 }),
  })
  .map(({ task, messages, responseIndex, cachedTokenIds, layers }) =>
    createCheckpoint(task, messages, {
      conversationPosition: messages.length,
      responseIndex,
      cachedTokenIds,
      layerOffsets: Array.from({ length: layers }, () => cachedTokenIds.length),
    }),
  )
