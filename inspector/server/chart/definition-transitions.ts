import { asConfig, type StateConfig, toList } from './state-config.js'

/** A transition as it is written, with the texts of its targets. */
interface WrittenTransition {
  readonly event: string
  readonly guard: string | null
  /** Its place among the transitions of its state for the same event. */
  readonly order: number
  readonly targets: readonly string[]
}

/** The transitions that a state's config names, in the order in which the machine tries those of one event. */
export function listTransitions(config: StateConfig, path: string): readonly WrittenTransition[] {
  const invokes = toList(config.invoke).map(asConfig)
  const groups: readonly (readonly [event: string, value: unknown])[] = [
    ['', config.always],
    ...Object.entries(asConfig(config.on)),
    ...invokes.flatMap(({ id, src, onDone, onError, onSnapshot }) => {
      const name = [id, src].find(part => typeof part === 'string') ?? path
      return [
        [`xstate.done.actor.${name}`, onDone] as const,
        [`xstate.error.actor.${name}`, onError] as const,
        [`xstate.snapshot.${name}`, onSnapshot] as const,
      ]
    }),
    [`xstate.done.state.${path}`, config.onDone],
    ...Object.entries(asConfig(config.after)).map(([delay, value]) => [`xstate.after.${delay}`, value] as const),
  ]
  return groups.flatMap(([event, value]) =>
    toList(value).map((candidate, order) => ({
      event,
      guard: readGuard(asConfig(candidate).guard),
      order,
      targets: toList(typeof candidate === 'string' ? candidate : asConfig(candidate).target).filter(
        target => typeof target === 'string',
      ),
    })),
  )
}

/**
 * The paths that targets mean, seen from a state: `#id` and `#id.path` from a named state down, `.child` inside, and a
 * bare name beside it. A transition that names no target stays where it is, and has no arrow.
 */
export function readTargets(
  targets: readonly string[],
  source: string,
  ids: ReadonlyMap<string, string>,
): readonly string[] {
  return targets.map(target => {
    if (target.startsWith('#')) return resolveId(target.slice(1), ids)
    if (target.startsWith('.')) return source + target
    const parent = source.slice(0, source.lastIndexOf('.') + 1)
    return parent + target
  })
}

// An id may have dots in it itself: the longest one that is known counts.
function resolveId(text: string, ids: ReadonlyMap<string, string>): string {
  for (let end = text.length; end > 0; end = text.lastIndexOf('.', end - 1)) {
    const path = ids.get(text.slice(0, end))
    if (path !== undefined) return path === '' ? text.slice(end + 1) : path + text.slice(end)
  }
  return text
}

function readGuard(guard: unknown): string | null {
  if (typeof guard === 'string') return guard
  const { type } = asConfig(guard)
  return typeof type === 'string' && type !== '' ? type : guard === undefined || guard === null ? null : 'guard'
}
