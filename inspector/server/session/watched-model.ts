import type { CheckpointableModel, Message, ModelCheckpoint } from 'safepoint'

import type { ModelGate } from './model-gate.js'

/** What is told of a model. Whatever a listener does, it must not throw. */
export interface ModelListener {
  onRestored(checkpoint: ModelCheckpoint): void
  /** Right before a call, with its input. */
  onGenerate(messages: readonly Message[]): void
}

/**
 * The same model behind the gate. It answers, throws and lacks methods exactly as the model itself does, and nothing
 * keeps the model but this object.
 */
export function watchModel(model: CheckpointableModel, gate: ModelGate, listener: ModelListener): CheckpointableModel {
  // What is no model is refused by the run itself, in its own words.
  if (typeof model !== 'object' || model === null || typeof model.generate !== 'function') return model
  const watched: Partial<CheckpointableModel> & Pick<CheckpointableModel, 'generate'> = {
    generate: (messages, signal) => {
      const call = (): string | Promise<string> => {
        listener.onGenerate(messages)
        return model.generate(messages, signal)
      }
      const opened = gate.pass(signal)
      return opened === undefined ? call() : opened.then(call)
    },
  }
  if (typeof model.saveCheckpoint === 'function') {
    watched.saveCheckpoint = messages => model.saveCheckpoint(messages)
  }
  if (typeof model.restoreCheckpoint === 'function') {
    watched.restoreCheckpoint = async checkpoint => {
      await model.restoreCheckpoint(checkpoint)
      listener.onRestored(checkpoint)
    }
  }
  return watched as CheckpointableModel
}
