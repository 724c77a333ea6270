import { AgentError, describeThrown, describeValue } from '../errors.js'

/** What bounds a run. Each is a positive safe integer. */
export interface AgentLimits {
  /** Model decisions, invalid ones included. */
  readonly maxSteps: number
  /** Code points of all message contents together, checked before each model call. */
  readonly maxContextChars: number
  /** Invalid responses in the whole run; the count is never reset. */
  readonly maxInvalidActions: number
  /** Consecutive identical tool requests that are still run. */
  readonly maxIdenticalActions: number
}

const DEFAULTS: AgentLimits = Object.freeze({
  maxSteps: 8,
  maxContextChars: 48_000,
  maxInvalidActions: 3,
  maxIdenticalActions: 2,
})

/**
 * The limits of a run: the defaults (8 steps, 48,000 characters, 3 invalid and 2 identical actions) with the given ones
 * over them. Frozen.
 *
 * @throws AgentError (`invalid_option`) for a limit that is not a positive safe integer, and for an unknown name.
 */
export function resolveLimits(given: Partial<AgentLimits> = {}): AgentLimits {
  if (typeof given !== 'object' || given === null) {
    throw new AgentError('invalid_option', `limits must be an object, not ${describeValue(given)}.`)
  }
  const limits: { -readonly [K in keyof AgentLimits]: number } = { ...DEFAULTS }
  for (const [name, value] of readEntries(given)) {
    if (!Object.hasOwn(DEFAULTS, name)) {
      const names = Object.keys(DEFAULTS).join(', ')
      throw new AgentError('invalid_option', `The limit ${describeValue(name)} is unknown; there are ${names}.`)
    }
    if (value !== undefined) limits[name as keyof AgentLimits] = requirePositiveInteger(name, value)
  }
  return Object.freeze(limits)
}

function readEntries(given: object): [string, unknown][] {
  try {
    return Object.entries(given)
  } catch (cause) {
    throw new AgentError('invalid_option', `The limits cannot be read (${describeThrown(cause)}).`, { cause })
  }
}

/** The value, once it is a positive safe integer. Throws `AgentError` (`invalid_option`) otherwise. */
export function requirePositiveInteger(name: string, value: unknown): number {
  if (Number.isSafeInteger(value) && (value as number) > 0) return value as number
  throw new AgentError('invalid_option', `${name} must be a positive integer, not ${describeValue(value)}.`)
}
