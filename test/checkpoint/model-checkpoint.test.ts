import { AgentError, createModelCheckpoint, type ModelCheckpoint } from 'safepoint'
import { describe, expect, it } from 'vitest'
import { SNAPSHOT } from '../helpers/checkpoints.js'
import { catchThrown, findUnfrozen } from '../helpers/values.js'

/** The message with which a snapshot is refused. */
function refusal(fields: unknown): string {
  const thrown = catchThrown(() => createModelCheckpoint(fields as ModelCheckpoint))
  expect(thrown).toBeInstanceOf(AgentError)
  expect(thrown).toMatchObject({ code: 'invalid_model_checkpoint' })
  return (thrown as AgentError).message
}

const FIELDS = ['conversationPosition', 'responseIndex', 'cachedTokenIds', 'layerOffsets'] as const
const NO_NUMBERS = [
  '1',
  '',
  null,
  undefined,
  true,
  1n,
  new Number(1),
  [1],
  { valueOf: () => 1 },
  Symbol('one'),
  () => 1,
]
const NO_COUNTS = [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, Number.MAX_SAFE_INTEGER + 1, ...NO_NUMBERS]

describe('createModelCheckpoint', () => {
  it('copies exactly the four fields, in this order', () => {
    const shuffled = { layerOffsets: [1], cachedTokenIds: [7], responseIndex: 2, conversationPosition: 3 }
    const snapshot = createModelCheckpoint(shuffled)
    expect(snapshot).toStrictEqual(shuffled)
    expect(Object.keys(snapshot)).toEqual(FIELDS)
  })

  it('is deeply frozen, and no longer tied to what it was made from', () => {
    const fields = { conversationPosition: 1, responseIndex: 0, cachedTokenIds: [5], layerOffsets: [1] }
    const snapshot = createModelCheckpoint(fields)
    fields.cachedTokenIds.push(6)
    fields.layerOffsets[0] = 9
    expect(findUnfrozen(snapshot)).toEqual([])
    expect(snapshot).toStrictEqual({
      conversationPosition: 1,
      responseIndex: 0,
      cachedTokenIds: [5],
      layerOffsets: [1],
    })
    expect(findUnfrozen(fields).length).toBe(3)
  })

  it('takes an empty cache, which still has a layer', () => {
    expect(createModelCheckpoint({ ...SNAPSHOT, cachedTokenIds: [], layerOffsets: [0] }).layerOffsets).toEqual([0])
  })

  it('takes the largest safe integer', () => {
    const large = Number.MAX_SAFE_INTEGER
    const fields = { conversationPosition: large, responseIndex: large, cachedTokenIds: [large], layerOffsets: [1] }
    expect(createModelCheckpoint(fields)).toStrictEqual(fields)
  })

  it('writes -0 as 0, everywhere', () => {
    const zero = { conversationPosition: -0, responseIndex: -0, cachedTokenIds: [], layerOffsets: [-0] }
    const snapshot = createModelCheckpoint(zero)
    expect(Object.is(snapshot.conversationPosition, 0)).toBe(true)
    expect(Object.is(snapshot.responseIndex, 0)).toBe(true)
    expect(Object.is(snapshot.layerOffsets[0], 0)).toBe(true)
    const { cachedTokenIds } = createModelCheckpoint({ ...SNAPSHOT, cachedTokenIds: [1, -0, 2] })
    expect(Object.is(cachedTokenIds[1], 0)).toBe(true)
  })

  it.each(['conversationPosition', 'responseIndex'])('refuses a %s that is no count', field => {
    for (const value of NO_COUNTS) {
      expect(refusal({ ...SNAPSHOT, [field]: value })).toContain(`${field} must be a non-negative safe integer`)
    }
  })

  it('refuses a token id that is no count, naming which', () => {
    for (const value of NO_COUNTS) {
      const message = refusal({ ...SNAPSHOT, cachedTokenIds: [0, value, 2] })
      expect(message).toContain('cachedTokenIds[1] must be a non-negative safe integer')
    }
  })

  it('refuses a layer offset that is no count, or not the number of token ids', () => {
    for (const value of NO_COUNTS) {
      expect(refusal({ ...SNAPSHOT, layerOffsets: [3, value] })).toContain('layerOffsets[1] must be a non-negative')
    }
    expect(refusal({ ...SNAPSHOT, layerOffsets: [3, 2] })).toContain(
      'layerOffsets[1] must be the prefix length 3, not 2',
    )
    expect(refusal({ ...SNAPSHOT, layerOffsets: [4, 3] })).toContain('layerOffsets[0]')
    expect(refusal({ ...SNAPSHOT, cachedTokenIds: [] })).toContain('layerOffsets[0] must be the prefix length 0')
  })

  it('refuses no layers at all', () => {
    expect(refusal({ ...SNAPSHOT, layerOffsets: [] })).toContain('at least one layer')
  })

  it.each(FIELDS)('refuses a snapshot without %s', field => {
    const { [field]: _, ...rest } = SNAPSHOT
    expect(refusal(rest)).toContain(`lacks the field "${field}"`)
    expect(refusal(Object.create(SNAPSHOT))).toContain('lacks the field')
  })

  it.each(['extra', '', '__proto__', 'constructor'])('refuses the further field %j', name => {
    const fields = JSON.parse(`${JSON.stringify(SNAPSHOT).slice(0, -1)},${JSON.stringify(name)}:1}`) as unknown
    expect(refusal(fields)).toContain(`unexpected field ${JSON.stringify(name)}`)
  })

  it('refuses a further field that is a symbol, or hidden', () => {
    expect(refusal({ ...SNAPSHOT, [Symbol('more')]: 1 })).toContain('unexpected field a symbol')
    expect(refusal(Object.defineProperty({ ...SNAPSHOT }, 'more', { value: 1 }))).toContain('unexpected field "more"')
  })

  it.each([null, undefined, 0, 'text', true, [], [1], new Date(0), new Map()])('refuses %j for a snapshot', value => {
    expect(refusal(value)).toContain('The model snapshot')
  })

  it.each(['cachedTokenIds', 'layerOffsets'])('refuses %s that are no array', field => {
    for (const value of [null, undefined, 3, '3', {}, { length: 1, 0: 3 }, new Uint32Array(3), new Set([3])]) {
      expect(refusal({ ...SNAPSHOT, [field]: value })).toContain(`${field} must be an array`)
    }
  })
})
