import { AgentError } from 'safepoint'

import { cutText } from './cut-text.js'

const MOST_MESSAGE = 2_000

/**
 * What was thrown, for the wire: its code and its message. Never throws and never walks the value: it may be a BigInt,
 * an error whose cause is itself, or a proxy that throws whatever is done to it.
 */
export function toWireError(thrown: unknown): { readonly code: string; readonly message: string } {
  try {
    if (thrown instanceof AgentError) return { code: thrown.code, message: cutMessage(thrown.message) }
    if (thrown instanceof Error) return { code: 'error', message: cutMessage(String(thrown.message)) }
    if (typeof thrown === 'string') return { code: 'error', message: cutMessage(thrown) }
    return { code: 'error', message: `A ${thrown === null ? 'null' : typeof thrown} was thrown.` }
  } catch {
    return { code: 'error', message: 'Something was thrown that cannot be read.' }
  }
}

function cutMessage(message: string): string {
  const { text, length } = cutText(message, MOST_MESSAGE)
  return length > MOST_MESSAGE ? `${text}…` : text
}
