import { canonicalId } from '../canonical-json.js'
import { createMessage, isRole, type Message, type Role } from '../conversation/message.js'
import { AgentError, describeValue } from '../errors.js'
import { isBlank } from '../unicode.js'
import { createModelCheckpoint, type ModelCheckpoint, readModelCheckpoint } from './model-checkpoint.js'
import { ValueReader } from './read-value.js'

/** One message as it is saved. */
export type SavedMessage = readonly [role: Role, content: string]

/**
 * A run at its boundary: what was said and the model's snapshot of exactly that. A deeply frozen value; it survives
 * `JSON.parse(JSON.stringify(x))` and structured clone. It holds no receipts, no events and no link to another one.
 */
export interface AgentCheckpoint {
  /** The SHA-256 of the content. It catches an accidental mismatch; it is not authentication. */
  readonly checkpointId: string
  readonly task: string
  readonly messages: readonly SavedMessage[]
  readonly model: ModelCheckpoint
}

const FIELDS = ['checkpointId', 'task', 'messages', 'model'] as const

/**
 * Binds a conversation and the model's snapshot of it into a checkpoint. Everything is copied and frozen.
 *
 * @throws AgentError: `invalid_task` (blank, or not a string), `invalid_message` (no messages, an unknown role, a
 * content that is not a string), `invalid_model_checkpoint` (incoherent, or its position is not the message count).
 */
export function createCheckpoint(task: string, messages: readonly Message[], model: ModelCheckpoint): AgentCheckpoint {
  checkTask(task)
  const reader = new ValueReader('invalid_message')
  const saved = reader.read(() => reader.list(messages, 'messages', toSavedMessage))
  if (saved.length === 0) throw reader.refuse('A checkpoint needs at least one message')
  const snapshot = createModelCheckpoint(model)
  if (snapshot.conversationPosition !== saved.length) {
    throw new AgentError('invalid_model_checkpoint', positionFault(snapshot, saved.length))
  }
  return bind(task, saved, snapshot)
}

/** The task as it is, once it is a string that is not blank. Throws `AgentError` (`invalid_task`) otherwise. */
export function checkTask(task: unknown): string {
  if (typeof task === 'string' && !isBlank(task)) return task
  throw new AgentError('invalid_task', `The task must be a string that is not blank, not ${describeValue(task)}.`)
}

/**
 * Passes when a value is a checkpoint whose id matches its content; changes nothing.
 *
 * @param value - Anything at all; a hostile proxy or an array of holes is refused like any other value.
 * @throws AgentError (`invalid_checkpoint`) at the first fault: a missing or an extra field at any level, a blank task,
 * no messages or one that is not `[role, string]`, an incoherent snapshot, a position that is not the message count, an
 * id that does not match.
 */
export function validateCheckpoint(value: unknown): asserts value is AgentCheckpoint {
  copyCheckpoint(value)
}

/** A frozen copy of a valid checkpoint: what a resume works on, since `value` may answer otherwise when asked again. */
export function copyCheckpoint(value: unknown): AgentCheckpoint {
  const reader = new ValueReader('invalid_checkpoint')
  return reader.read(() => {
    const [id, task, list, snapshot] = reader.record(value, 'The checkpoint', FIELDS)
    if (typeof id !== 'string') throw reader.refuse(`checkpointId must be a string, not ${describeValue(id)}`)
    if (typeof task !== 'string' || isBlank(task)) {
      throw reader.refuse(`The task must be a string that is not blank, not ${describeValue(task)}`)
    }
    const messages = reader.list(list, 'messages', (pair, index) => readMessage(reader, pair, index))
    if (messages.length === 0) throw reader.refuse('A checkpoint needs at least one message')
    const model = readModelCheckpoint(reader, snapshot)
    if (model.conversationPosition !== messages.length) throw reader.refuse(positionFault(model, messages.length))
    const checkpoint = bind(task, messages, model)
    if (id === checkpoint.checkpointId) return checkpoint
    throw reader.refuse(`The id ${describeValue(id, 12)} does not match the content; the checkpoint was changed`)
  })
}

function toSavedMessage(value: unknown, index: number): SavedMessage {
  if (typeof value !== 'object' || value === null) {
    throw new AgentError('invalid_message', `messages[${index}] must be a message, not ${describeValue(value)}.`)
  }
  const message = value as Message
  const { role, content } = createMessage(message.role, message.content)
  return Object.freeze([role, content] as const)
}

function readMessage(reader: ValueReader, pair: unknown, index: number): SavedMessage {
  const [role, content] = reader.list(pair, `messages[${index}]`, part => part, 2)
  if (!isRole(role)) throw reader.refuse(`messages[${index}] has the unknown role ${describeValue(role)}`)
  if (typeof content !== 'string') throw reader.refuse(`messages[${index}] has a content that is not a string`)
  return Object.freeze([role, content] as const)
}

function bind(task: string, messages: readonly SavedMessage[], model: ModelCheckpoint): AgentCheckpoint {
  const checkpointId = canonicalId({
    messages,
    model: {
      cached_token_ids: model.cachedTokenIds,
      conversation_position: model.conversationPosition,
      layer_offsets: model.layerOffsets,
      response_index: model.responseIndex,
    },
    task,
  })
  return Object.freeze({ checkpointId, task, messages, model })
}

function positionFault(model: ModelCheckpoint, count: number): string {
  return `The model snapshot stands at position ${model.conversationPosition}, but the conversation has ${count} messages`
}
