import type { AnyStateNode, AnyTransitionDefinition } from 'xstate'

/** One way that the definition gives a machine to go. */
interface Edge {
  readonly from: AnyStateNode
  readonly to: AnyStateNode
  readonly event: string
  readonly guard: string | null
}

/** Every state below a node, the node itself included. */
export function listStates(node: AnyStateNode): readonly AnyStateNode[] {
  return [node, ...Object.values(node.states).flatMap(listStates)]
}

/** Every transition of a definition, eventless ones, timers and what an invoke ends with included. */
function listEdges(root: AnyStateNode): readonly Edge[] {
  return listStates(root).flatMap(from => {
    const transitions: AnyTransitionDefinition[] = [...(from.always ?? []), ...[...from.transitions.values()].flat()]
    return transitions.flatMap(({ eventType, guard, target }) =>
      (target ?? []).map(to => ({ from, to, event: eventType, guard: nameOf(guard) })),
    )
  })
}

/** The leaf that is entered with a state: itself, or where its initial transitions lead. */
function leafOf(node: AnyStateNode): AnyStateNode {
  const [initial] = node.type === 'compound' ? (node.initial.target ?? []) : []
  return initial === undefined ? node : leafOf(initial)
}

/** The leaves that can be reached from a leaf, itself included, on edges that do not enter `without`. */
function reachable(root: AnyStateNode, start: AnyStateNode, without?: AnyStateNode): ReadonlySet<AnyStateNode> {
  const edges = listEdges(root)
  const seen = new Set([start])
  for (const leaf of seen) {
    for (const { from, to } of edges) {
      const next = leafOf(to)
      if (isWithin(leaf, from) && next !== without) seen.add(next)
    }
  }
  return seen
}

/** Whether a state is another one or lies inside it: it takes that one's transitions, too. */
function isWithin(node: AnyStateNode, ancestor: AnyStateNode): boolean {
  return node === ancestor || (node.parent !== undefined && isWithin(node.parent, ancestor))
}

function nameOf(guard: unknown): string | null {
  if (guard === undefined) return null
  if (typeof guard === 'string') return guard
  return typeof guard === 'object' && guard !== null && 'type' in guard ? String(guard.type) : 'a function'
}

/** What is wrong with a machine's boundary, each fault in one sentence; nothing when the boundary holds. */
export function findBoundaryFaults(root: AnyStateNode): readonly string[] {
  const states = new Map(listStates(root).map(node => [node.path.join('.'), node]))
  const find = (path: string): AnyStateNode => {
    const node = states.get(path)
    if (node === undefined) throw new Error(`The machine has no state ${path}.`)
    return node
  }
  const saving = find('maybeCheckpoint.saving')
  const boundary = find('maybeCheckpoint.boundary')
  const restored = find('maybeCheckpoint.restored')
  const append = find('appendObservation')
  const edges = listEdges(root)
  const name = ({ from, event, guard, to }: Edge): string =>
    `${from.path.join('.')} ${event || 'always'}${guard === null ? '' : ` [${guard}]`} → ${to.path.join('.')}`

  const faults: string[] = []
  for (const edge of edges) {
    const entered = leafOf(edge.to)
    const isTheGate = edge.from === boundary && edge.event === '' && edge.guard === 'boundaryReached'
    if (entered === saving && !isTheGate) faults.push(`saving is entered past the gate: ${name(edge)}`)
    if (entered === boundary && edge.from !== append) faults.push(`the boundary has a further way in: ${name(edge)}`)
    if (entered === restored) faults.push(`restored is entered by a transition: ${name(edge)}`)
    const isResume = edge.from === restored && edge.event === 'resume'
    if (isWithin(restored, edge.from) && !isResume) faults.push(`restored has a further way out: ${name(edge)}`)
  }
  if (!edges.some(edge => edge.from === boundary && leafOf(edge.to) === saving)) faults.push('nothing leads to saving')
  if (leafOf(root) === boundary || leafOf(root) === saving) faults.push('the machine starts behind the append')
  if (!append.entry.some(action => action === 'appendPair' || nameOf(action) === 'appendPair')) {
    faults.push('appendObservation appends nothing')
  }
  for (const leaf of [...states.values()].filter(node => leafOf(node) === node)) {
    const isPast = leaf === append || leaf === boundary || leaf === saving
    if (!isPast && reachable(root, leaf, append).has(saving)) {
      faults.push(`saving is reachable from ${leaf.path.join('.')} without an appended pair`)
    }
    if (!reachable(root, leaf).has(find('done'))) faults.push(`${leaf.path.join('.')} does not reach done`)
  }
  for (const node of states.values()) {
    if (!node.tags.includes('boundary')) continue
    for (let within: AnyStateNode | undefined = node; within !== undefined; within = within.parent) {
      const waits = within.invoke.length > 0 || within.after.length > 0
      if (waits) faults.push(`${within.path.join('.')} invokes or waits, and ${node.path.join('.')} is tagged boundary`)
    }
  }
  return faults
}
