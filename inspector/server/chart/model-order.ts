import { type Chart, type ChartState, parentOf } from './definition.js'

/**
 * The states of a chart in the order in which a run meets them: among siblings each one comes after all that lead to it,
 * arrows that close a loop left aside, beginning with the initial state. (The definition comes with its keys sorted by
 * name, so its own order says nothing.) The layout breaks loops by this order: what leads back is what leads up.
 */
export function orderStates({ states, transitions }: Chart): readonly ChartState[] {
  const byParent = new Map<string | null, ChartState[]>()
  for (const state of states) byParent.set(state.parent, [...(byParent.get(state.parent) ?? []), state])
  const order = (parent: string | null): readonly ChartState[] => {
    const siblings = byParent.get(parent) ?? []
    const next = new Map<string, string[]>()
    for (const { source, target } of transitions) {
      const from = siblingOf(source, parent)
      const to = siblingOf(target, parent)
      if (from !== null && to !== null && from !== to) next.set(from, [...(next.get(from) ?? []), to])
    }
    return sortTopologically(siblings, next).flatMap(state => [state, ...order(state.id)])
  }
  return order(null)
}

/** The ancestor of a state, or itself, that is a child of `parent`; `null` when it is not inside. */
function siblingOf(path: string, parent: string | null): string | null {
  for (let place: string | null = path; place !== null; place = parentOf(place)) {
    if (parentOf(place) === parent) return place
  }
  return null
}

/** Reverse postorder of a depth-first walk: every arrow but those that close a loop points forward. */
function sortTopologically(
  siblings: readonly ChartState[],
  next: ReadonlyMap<string, readonly string[]>,
): readonly ChartState[] {
  const byId = new Map(siblings.map(state => [state.id, state]))
  const visited = new Set<string>()
  const walk = (id: string): readonly string[] => {
    if (visited.has(id)) return []
    visited.add(id)
    return [...(next.get(id) ?? []).flatMap(walk), id]
  }
  const starts = [...siblings.filter(state => state.isInitial), ...siblings.filter(state => !state.isInitial)]
  // Each start's own walk comes after those of the starts before it, so a state that nothing leads to stands last.
  return starts.flatMap(state => [...walk(state.id)].reverse()).flatMap(id => byId.get(id) ?? [])
}
