import { AgentError, describeValue } from '../errors.js'

const ROLES = ['system', 'user', 'assistant'] as const

/** Who says a message. */
export type Role = (typeof ROLES)[number]

/** One message of a conversation. Messages that the loop hands out are frozen. */
export interface Message {
  readonly role: Role
  readonly content: string
}

/** What stands before every observation in the message that carries it. */
export const OBSERVATION_PREFIX = 'Tool result:\n'

/** Whether a value is one of the three roles. */
export function isRole(value: unknown): value is Role {
  return (ROLES as readonly unknown[]).includes(value)
}

/** A frozen message. Throws `AgentError` (`invalid_message`) for an unknown role or a content that is not a string. */
export function createMessage(role: Role, content: string): Message {
  if (!isRole(role)) {
    throw new AgentError('invalid_message', `The role ${describeValue(role)} is not one of ${ROLES.join(', ')}.`)
  }
  if (typeof content !== 'string') {
    throw new AgentError('invalid_message', `The content of a message must be a string, not ${describeValue(content)}.`)
  }
  return Object.freeze({ role, content })
}

/**
 * The two messages every run begins with: the rules, then the task. Both frozen, the list too.
 * Throws `AgentError` (`invalid_message`) when one of them is not a string.
 */
export function initialMessages(task: string, systemPrompt: string): readonly Message[] {
  return Object.freeze([createMessage('system', systemPrompt), createMessage('user', task)])
}
