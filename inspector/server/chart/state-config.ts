/** A part of a definition as it comes over the wire: anything may be missing, or of another kind. */
export type StateConfig = Readonly<Record<string, unknown>>

/** The value when it is an object, else an empty one. */
export function asConfig(value: unknown): StateConfig {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as StateConfig) : {}
}

/** The value as a list: XState takes one thing and a list of them in the same place. */
export function toList(value: unknown): readonly unknown[] {
  return value === undefined || value === null ? [] : Array.isArray(value) ? value : [value]
}
