import type { ModelCheckpoint } from 'safepoint'

import type { WireModelSnapshot } from '../../wire.js'

const MOST_TOKENS = 512
const MOST_LAYERS = 64

/** A model's snapshot for the wire: long lists are cut, their lengths are told. */
export function toWireModel(model: ModelCheckpoint): WireModelSnapshot {
  return {
    conversationPosition: model.conversationPosition,
    responseIndex: model.responseIndex,
    cachedTokenIds: model.cachedTokenIds.slice(0, MOST_TOKENS),
    cachedTokenCount: model.cachedTokenIds.length,
    layerOffsets: model.layerOffsets.slice(0, MOST_LAYERS),
    layerCount: model.layerOffsets.length,
  }
}
