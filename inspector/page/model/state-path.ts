/**
 * The states that a state value says are entered, each as its path from the root, parents before children:
 * `{ maybeCheckpoint: 'boundary' }` is `maybeCheckpoint` and `maybeCheckpoint.boundary`.
 */
export function toStatePaths(value: unknown, parent = ''): readonly string[] {
  const prefix = parent === '' ? '' : `${parent}.`
  if (typeof value === 'string') return [prefix + value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, child]) => [prefix + key, ...toStatePaths(child, prefix + key)])
}
