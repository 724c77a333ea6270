import { listTransitions, readTargets } from './definition-transitions.js'
import { asConfig, type StateConfig, toList } from './state-config.js'

/** A state of a chart, as its definition has it; the places come later. */
export interface ChartState {
  /** The path from the root: `maybeCheckpoint.boundary`. */
  readonly id: string
  readonly key: string
  readonly parent: string | null
  readonly type: 'atomic' | 'compound' | 'final'
  readonly description: string
  readonly tags: readonly string[]
  readonly invokes: readonly string[]
  /** Whether its parent begins with it. */
  readonly isInitial: boolean
}

/** One arrow of a chart. */
export interface ChartTransition {
  readonly id: string
  readonly source: string
  readonly target: string
  /** `''` for an eventless one. */
  readonly event: string
  readonly guard: string | null
  readonly order: number
  /** The gate of the boundary: its first guarded eventless way out. */
  readonly isGate?: true
}

/** What a definition draws. */
export interface Chart {
  readonly states: readonly ChartState[]
  readonly transitions: readonly ChartTransition[]
}

/**
 * Reads the definition that a machine sends about itself: every state at any depth, and every transition that leads
 * somewhere, the eventless ones included. What does not look like a state is left out.
 *
 * @param definition - The machine's config as JSON.
 * @throws SyntaxError when it is not JSON.
 */
export function readChart(definition: string): Chart {
  const root = asConfig(JSON.parse(definition))
  const configs = listStates(root)
  const paths = new Set(configs.keys())
  // A target may name a state by its id; the root's id stands for the empty path.
  const ids = new Map(
    [['', root] as const, ...configs].flatMap(([path, { id }]) =>
      typeof id === 'string' ? [[id, path] as const] : [],
    ),
  )
  const states = [...configs].map(([path, config]) =>
    describeState(path, config, configs.get(parentOf(path) ?? '') ?? root),
  )
  const transitions = states.flatMap(({ id: source, tags }) =>
    listTransitions(configs.get(source) ?? {}, source).flatMap(({ targets, ...transition }) =>
      readTargets(targets, source, ids)
        .filter(target => paths.has(target))
        .map((target, index) => ({
          id: [source, transition.event, transition.order, ...(index === 0 ? [] : [index])].join('|'),
          source,
          target,
          ...transition,
          ...(tags.includes('boundary') && isGate(transition) && { isGate: true as const }),
        })),
    ),
  )
  return { states, transitions }
}

/** The path of the state around a state; `null` at the top. */
export function parentOf(path: string): string | null {
  const end = path.lastIndexOf('.')
  return end < 0 ? null : path.slice(0, end)
}

function isGate({ event, guard, order }: Pick<ChartTransition, 'event' | 'guard' | 'order'>): boolean {
  return event === '' && guard !== null && order === 0
}

function listStates(config: StateConfig, prefix = ''): Map<string, StateConfig> {
  const found = new Map<string, StateConfig>()
  for (const [key, value] of Object.entries(asConfig(config.states))) {
    const child = asConfig(value)
    found.set(prefix + key, child)
    for (const [path, nested] of listStates(child, `${prefix}${key}.`)) found.set(path, nested)
  }
  return found
}

function describeState(path: string, config: StateConfig, parent: StateConfig): ChartState {
  const key = path.slice(path.lastIndexOf('.') + 1)
  const isCompound = Object.keys(asConfig(config.states)).length > 0
  return {
    id: path,
    key,
    parent: parentOf(path),
    type: isCompound ? 'compound' : config.type === 'final' ? 'final' : 'atomic',
    description: typeof config.description === 'string' ? config.description : '',
    tags: toList(config.tags).filter(tag => typeof tag === 'string'),
    invokes: toList(config.invoke).flatMap(invoke => {
      const { id, src } = asConfig(invoke)
      const name = id ?? src
      return typeof name === 'string' ? [name] : []
    }),
    isInitial: parent.type === 'parallel' || parent.initial === key,
  }
}
