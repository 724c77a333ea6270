import { createModelCheckpoint, type ModelCheckpoint } from '../checkpoint/model-checkpoint.js'
import type { Message } from '../conversation/message.js'
import { AgentError, describeValue } from '../errors.js'
import type { CheckpointableModel } from '../ports.js'
import { countCodePoints } from '../unicode.js'

const LAYERS = 2

/**
 * A model that plays given responses, for tests, demonstrations and the proof of a resume.
 *
 * Its cache is a fake that shows what a real one must hold to: one token id a message (the content's length in code
 * points), and two layers that both end where the ids end. After a restore it asserts that its first input is the
 * conversation that was saved.
 */
export class ScriptedModel implements CheckpointableModel {
  readonly #responses: readonly string[]
  #responseIndex = 0
  #expected: ModelCheckpoint | null = null

  /**
   * @param responses - What it answers, in order; copied.
   * @throws AgentError (`invalid_option`) when it is not an array of strings.
   */
  constructor(responses: readonly string[]) {
    if (!Array.isArray(responses)) {
      throw new AgentError('invalid_option', `The script must be an array of strings, not ${describeValue(responses)}.`)
    }
    this.#responses = Array.from(responses, (response: unknown, index) => {
      if (typeof response === 'string') return response
      throw new AgentError('invalid_option', `Response ${index} must be a string, not ${describeValue(response)}.`)
    })
  }

  /** The index of the response that comes next. */
  get responseIndex(): number {
    return this.#responseIndex
  }

  /**
   * The next response.
   *
   * @throws AgentError: `prefix_mismatch` when the first input after a restore is not the saved prefix, showing both;
   * `script_exhausted` when there is no response left.
   */
  generate(messages: readonly Message[]): string {
    this.#checkPrefix(messages)
    const response = this.#responses[this.#responseIndex]
    if (response === undefined) {
      const count = this.#responses.length
      throw new AgentError('script_exhausted', `The script has ${count} responses and was asked for one more; add it.`)
    }
    this.#responseIndex += 1
    return response
  }

  /** The fake cache of exactly these messages. */
  saveCheckpoint(messages: readonly Message[]): ModelCheckpoint {
    const cachedTokenIds = toTokenIds(messages)
    return createModelCheckpoint({
      conversationPosition: messages.length,
      responseIndex: this.#responseIndex,
      cachedTokenIds,
      layerOffsets: Array.from({ length: LAYERS }, () => cachedTokenIds.length),
    })
  }

  /** Takes the saved place. Throws `AgentError` (`invalid_model_checkpoint`) when the snapshot is incoherent. */
  restoreCheckpoint(checkpoint: ModelCheckpoint): void {
    this.#expected = createModelCheckpoint(checkpoint)
    this.#responseIndex = this.#expected.responseIndex
  }

  #checkPrefix(messages: readonly Message[]): void {
    if (this.#expected === null) return
    const { conversationPosition, cachedTokenIds } = this.#expected
    const actual = toTokenIds(messages)
    const isSamePrefix = cachedTokenIds.every((id, index) => id === actual[index])
    if (messages.length !== conversationPosition || !isSamePrefix) {
      throw new AgentError(
        'prefix_mismatch',
        `The restored cache holds ${show(conversationPosition, cachedTokenIds)}, but the first input is ${show(messages.length, actual)}; resume with the messages that were saved.`,
      )
    }
    this.#expected = null
  }
}

function toTokenIds(messages: readonly Message[]): readonly number[] {
  return messages.map(message => countCodePoints(message.content))
}

function show(position: number, tokenIds: readonly number[]): string {
  const shown = tokenIds.slice(0, 20).join(', ')
  return `position ${position} with token ids [${shown}${tokenIds.length > 20 ? ', …' : ''}]`
}
