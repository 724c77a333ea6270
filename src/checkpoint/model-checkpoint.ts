import { ValueReader } from './read-value.js'

/** What a model needs to go on from the boundary. Frozen, and coherent in itself. */
export interface ModelCheckpoint {
  /** The number of messages at the boundary. */
  readonly conversationPosition: number
  /** The index of the response that comes next. */
  readonly responseIndex: number
  /** The prompt prefix that is in the cache, as token ids. */
  readonly cachedTokenIds: readonly number[]
  /** Where each layer of the cache ends: at least one, each equal to the number of cached token ids. */
  readonly layerOffsets: readonly number[]
}

const FIELDS = ['conversationPosition', 'responseIndex', 'cachedTokenIds', 'layerOffsets'] as const

/** Snapshots that were made here: frozen and checked, so that a long one is walked once and not at every step. */
const known = new WeakSet<object>()

/**
 * A frozen snapshot of checked fields, copied from any value with exactly the four fields.
 *
 * @throws AgentError (`invalid_model_checkpoint`): a missing or an extra field, a position or a token id that is not a
 * non-negative safe integer, no layer, or a layer whose offset is not the number of cached token ids.
 */
export function createModelCheckpoint(fields: ModelCheckpoint): ModelCheckpoint {
  if (known.has(fields)) return fields
  const reader = new ValueReader('invalid_model_checkpoint')
  return reader.read(() => readModelCheckpoint(reader, fields))
}

/** The same check with another reader's error code; for a snapshot inside a checkpoint. */
export function readModelCheckpoint(reader: ValueReader, value: unknown): ModelCheckpoint {
  const [position, response, tokens, offsets] = reader.record(value, 'The model snapshot', FIELDS)
  const conversationPosition = reader.count(position, 'conversationPosition')
  const responseIndex = reader.count(response, 'responseIndex')
  const cachedTokenIds = reader.counts(tokens, 'cachedTokenIds')
  const layerOffsets = reader.list(offsets, 'layerOffsets', (offset, index) => {
    if (reader.count(offset, `layerOffsets[${index}]`) === cachedTokenIds.length) return cachedTokenIds.length
    throw reader.refuse(
      `layerOffsets[${index}] must be the prefix length ${cachedTokenIds.length}, not ${String(offset)}`,
    )
  })
  if (layerOffsets.length === 0) throw reader.refuse('layerOffsets must name at least one layer')
  const snapshot = Object.freeze({ conversationPosition, responseIndex, cachedTokenIds, layerOffsets })
  known.add(snapshot)
  return snapshot
}
