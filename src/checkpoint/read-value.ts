import { AgentError, type AgentErrorCode, describeThrown, describeValue } from '../errors.js'

/**
 * Reads values that may be anything at all: a parsed document, a hostile proxy, an array of four thousand million holes.
 * Every property is read once and every fault is an `AgentError` with the reader's code, at the first one met.
 */
export class ValueReader {
  readonly #code: AgentErrorCode

  constructor(code: AgentErrorCode) {
    this.#code = code
  }

  /** Runs a reading; what a trap or a getter throws becomes an `AgentError` with the thrown value as `cause`. */
  read<T>(reading: () => T): T {
    try {
      return reading()
    } catch (thrown) {
      if (this.#isOwn(thrown)) throw thrown
      throw new AgentError(this.#code, `The value cannot be read: ${describeThrown(thrown)}.`, { cause: thrown })
    }
  }

  /** The values of exactly these fields, in this order. An object with one field less or more is refused. */
  record(value: unknown, name: string, fields: readonly string[]): readonly unknown[] {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw this.refuse(`${name} must be an object, not ${describeValue(value)}`)
    }
    const keys = Reflect.ownKeys(value)
    const extra = keys.find(key => typeof key !== 'string' || !fields.includes(key))
    if (extra !== undefined) throw this.refuse(`${name} has an unexpected field ${describeValue(extra)}`)
    return fields.map(field => {
      if (!keys.includes(field)) throw this.refuse(`${name} lacks the field "${field}"`)
      return (value as Record<string, unknown>)[field]
    })
  }

  /**
   * The items of an array, each read by `item`. The keys are counted before the walk, so that holes, further fields and
   * a length that lies are refused without one step for each index.
   */
  list<T>(value: unknown, name: string, item: (value: unknown, index: number) => T, expected?: number): readonly T[] {
    if (!Array.isArray(value)) throw this.refuse(`${name} must be an array, not ${describeValue(value)}`)
    const length = value.length
    if (!isCount(length)) throw this.refuse(`${name} must have a length that is a number`)
    if (expected !== undefined && length !== expected) {
      throw this.refuse(`${name} must have ${expected} items, not ${length}`)
    }
    if (Reflect.ownKeys(value).length !== length + 1) {
      throw this.refuse(`${name} must have its items and nothing else, without holes`)
    }
    const items: T[] = []
    for (let index = 0; index < length; index += 1) items.push(item(value[index], index))
    return Object.freeze(items)
  }

  /** A non-negative safe integer; `-0` is `0`. */
  count(value: unknown, name: string): number {
    if (isCount(value)) return value + 0
    throw this.refuse(`${name} must be a non-negative safe integer, not ${describeValue(value)}`)
  }

  /** An array of non-negative safe integers. */
  counts(value: unknown, name: string): readonly number[] {
    return this.list(value, name, (item, index) => (isCount(item) ? item + 0 : this.count(item, `${name}[${index}]`)))
  }

  refuse(message: string): AgentError {
    return new AgentError(this.#code, `${message}.`)
  }

  #isOwn(thrown: unknown): boolean {
    try {
      return thrown instanceof AgentError && thrown.code === this.#code
    } catch {
      return false
    }
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
