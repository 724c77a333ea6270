import { readFileSync } from 'node:fs'

/** A file of `test/vectors/`: how to read its cases is said in its `note`. */
export interface VectorFile<T> {
  readonly vector: string
  readonly note: string
  readonly cases: readonly T[]
}

/**
 * The cases of `test/vectors/NAME.json`, with every `{"$concat"}`, `{"$repeat"}` and `{"$js"}` in them built. Other
 * `{"$…"}` objects stay as they are: their meaning is the file's own.
 *
 * @throws Error when the file is another vector's, or has no cases, so that a test can never pass over nothing.
 */
export function loadVectors<T>(name: string): readonly T[] {
  const file = JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), 'utf8')) as VectorFile<T>
  if (file.vector !== name || file.cases.length === 0)
    throw new Error(`test/vectors/${name}.json holds no ${name} cases`)
  return file.cases.map(vector => expandVector(vector) as T)
}

/** A copy of a parsed JSON value in which `{"$concat"}`, `{"$repeat"}` and `{"$js"}` are the values they stand for. */
export function expandVector(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(expandVector)
  const entries = Object.entries(value)
  const [name, content] = entries.length === 1 ? (entries[0] as [string, unknown]) : ['', undefined]
  if (name === '$concat') return (expandVector(content) as readonly string[]).join('')
  if (name === '$repeat') {
    const [text, times] = content as readonly [string, number]
    return text.repeat(times)
  }
  if (name === '$js') return createValue(String(content))
  // `fromEntries` defines its keys, so `__proto__` stays a key like any other.
  return Object.fromEntries(entries.map(([key, item]) => [key, expandVector(item)]))
}

function createValue(name: string): unknown {
  const create = VALUES[name]
  if (create === undefined) throw new Error(`a vector names the unknown value ${name}`)
  return create()
}

const VALUES: Readonly<Record<string, () => unknown>> = {
  Infinity: () => Number.POSITIVE_INFINITY,
  undefined: () => undefined,
  symbol: () => Symbol('vector'),
  function: () => () => undefined,
  date: () => new Date(0),
  map: () => new Map(),
  circular: () => {
    const circle: Record<string, unknown> = {}
    circle.self = circle
    return circle
  },
}
