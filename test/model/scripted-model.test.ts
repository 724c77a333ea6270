import { createModelCheckpoint, type Message, ScriptedModel } from 'safepoint'
import { describe, expect, test } from 'vitest'

const conversation: readonly Message[] = [
  { role: 'system', content: 'be careful' },
  { role: 'user', content: '😀' },
]

describe('a scripted model', () => {
  test('plays its responses in order', () => {
    const model = new ScriptedModel(['a', 'b'])
    expect([model.generate(conversation), model.responseIndex]).toEqual(['a', 1])
    expect([model.generate(conversation), model.responseIndex]).toEqual(['b', 2])
  })

  test('says how many responses it has when it runs out of them', () => {
    const model = new ScriptedModel(['a'])
    model.generate(conversation)
    expect(() => model.generate(conversation)).toThrow(
      expect.objectContaining({ code: 'script_exhausted', message: expect.stringContaining('1 responses') }),
    )
  })

  test('keeps its own copy of the script', () => {
    const responses = ['a']
    const model = new ScriptedModel(responses)
    responses[0] = 'changed'
    expect(model.generate(conversation)).toBe('a')
  })

  test.for<unknown>([undefined, 'a', ['a', 1], new Array(1)])('refuses a script that is %s', script => {
    expect(() => new ScriptedModel(script as never)).toThrow(expect.objectContaining({ code: 'invalid_option' }))
  })

  test('saves one token id a message, its length in code points, and two layers that end there', () => {
    const model = new ScriptedModel(['a'])
    model.generate(conversation)
    expect(model.saveCheckpoint(conversation)).toEqual({
      conversationPosition: 2,
      responseIndex: 1,
      cachedTokenIds: [10, 1],
      layerOffsets: [2, 2],
    })
  })

  test('goes on at the saved response after a restore, and may then be given more', () => {
    const fresh = new ScriptedModel(['a', 'b', 'c'])
    const model = new ScriptedModel(['a', 'b', 'c'])
    model.generate(conversation)
    fresh.restoreCheckpoint(model.saveCheckpoint(conversation))
    expect(fresh.responseIndex).toBe(1)
    expect(fresh.generate(conversation)).toBe('b')
    expect(fresh.generate([...conversation, { role: 'user', content: 'more' }])).toBe('c')
  })

  test.for<[string, readonly Message[]]>([
    ['shorter', conversation.slice(0, 1)],
    ['longer', [...conversation, { role: 'user', content: 'more' }]],
    ['different', [conversation[0] as Message, { role: 'user', content: 'four' }]],
    ['empty', []],
  ])('refuses a first input that is %s than what was saved, showing both', ([, input]) => {
    const model = new ScriptedModel(['a', 'b'])
    model.restoreCheckpoint(model.saveCheckpoint(conversation))
    const lengths = input.map(message => [...message.content].length).join(', ')
    expect(() => model.generate(input)).toThrow(
      expect.objectContaining({
        code: 'prefix_mismatch',
        message: expect.stringMatching(
          new RegExp(`position 2 with token ids \\[10, 1\\].*position ${input.length} with token ids \\[${lengths}\\]`),
        ),
      }),
    )
    expect(model.responseIndex).toBe(0)
  })

  test('refuses to restore an incoherent snapshot and stays where it was', () => {
    const model = new ScriptedModel(['a', 'b'])
    model.generate(conversation)
    const snapshot = { ...model.saveCheckpoint(conversation), layerOffsets: [1] }
    expect(() => model.restoreCheckpoint(snapshot)).toThrow(
      expect.objectContaining({ code: 'invalid_model_checkpoint' }),
    )
    expect(model.responseIndex).toBe(1)
  })

  test('restored beyond its script says that it has no response left', () => {
    const model = new ScriptedModel(['a'])
    model.restoreCheckpoint(
      createModelCheckpoint({ conversationPosition: 2, responseIndex: 7, cachedTokenIds: [], layerOffsets: [0] }),
    )
    expect(() => model.generate(conversation)).toThrow(expect.objectContaining({ code: 'script_exhausted' }))
  })
})
