import { AgentError, createCheckpoint, type Role, validateCheckpoint } from 'safepoint'
import { describe, expect, it } from 'vitest'
import { findUnfrozen } from '../helpers/values.js'
import { loadVectors } from '../helpers/vectors.js'

interface IdVector {
  readonly name: string
  readonly task: string
  readonly messages: readonly { readonly role: Role; readonly content: string }[]
  readonly model: {
    readonly conversation_position: number
    readonly response_index: number
    readonly cached_token_ids: readonly number[]
    readonly layer_offsets: readonly number[]
  }
  readonly id: string
}

interface ValidationVector {
  readonly name: string
  readonly value: unknown
  readonly expected: 'accept' | 'refuse'
}

describe('a checkpoint has the id that the reference gives it:', () => {
  it.each(loadVectors<IdVector>('checkpoint-ids'))('$name', ({ task, messages, model, id }) => {
    const checkpoint = createCheckpoint(task, messages, {
      conversationPosition: model.conversation_position,
      responseIndex: model.response_index,
      cachedTokenIds: model.cached_token_ids,
      layerOffsets: model.layer_offsets,
    })
    expect(checkpoint.checkpointId).toBe(id)
    expect(checkpoint.messages).toEqual(messages.map(({ role, content }) => [role, content]))
    expect(findUnfrozen(checkpoint)).toEqual([])
    validateCheckpoint(checkpoint)
    validateCheckpoint(JSON.parse(JSON.stringify(checkpoint)))
  })
})

const validation = loadVectors<ValidationVector>('checkpoint-validation')

describe('validateCheckpoint agrees with the reference about', () => {
  // The names alone go to `it.each`: a title made from a value that JSON cannot carry would be the first to fail.
  it.each(validation.map(({ name }, index) => ({ name, index })))('$name', ({ index }) => {
    const { value, expected } = validation[index] as ValidationVector
    const validate = () => {
      validateCheckpoint(value)
    }
    if (expected === 'accept') {
      expect(validate).not.toThrow()
      return
    }
    expect(validate).toThrow(AgentError)
    expect(validate).toThrow(expect.objectContaining({ code: 'invalid_checkpoint' }))
  })

  it('cases of both kinds', () => {
    expect(new Set(validation.map(({ expected }) => expected))).toEqual(new Set(['accept', 'refuse']))
  })
})
