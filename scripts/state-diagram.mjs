/** @typedef {import('xstate').AnyStateNode} StateNode */

/**
 * Draws a statechart as a Mermaid `stateDiagram-v2`, from the machine itself: `machine.root` has what a directed graph of
 * XState leaves out, the eventless transitions and the names of the guards.
 *
 * @param {StateNode} root
 * @returns {string}
 */
export function toStateDiagram(root) {
  const crossing = listTransitions(root).filter(({ from, to }) => from.parent !== to.parent && from.parent !== root)
  return ['stateDiagram-v2', ...drawInside(root, '  '), ...crossing.map(edge => `  ${draw(edge)}`), ''].join('\n')
}

/**
 * What stands inside a state: its children, and the transitions that stay among them. One that leaves is drawn outside,
 * because Mermaid would take its target for a state of that name in here.
 *
 * @param {StateNode} parent
 * @param {string} indent
 * @returns {string[]}
 */
function drawInside(parent, indent) {
  const children = Object.values(parent.states)
  const nested = children.flatMap(child => {
    // A state that no transition in here names would be drawn outside.
    if (Object.keys(child.states).length === 0) return [`${indent}${child.key}`]
    return [`${indent}state ${child.key} {`, ...drawInside(child, `${indent}  `), `${indent}}`]
  })
  const edges = children.flatMap(listOwnTransitions).filter(({ to }) => to.parent === parent)
  return [
    ...parent.initial.target.map(target => `${indent}[*] --> ${target.key}`),
    ...nested,
    ...edges.map(edge => `${indent}${draw(edge)}`),
    ...children.filter(child => child.type === 'final').map(child => `${indent}${child.key} --> [*]`),
  ]
}

/**
 * Every transition below a state, in the order of the definition.
 *
 * @param {StateNode} node
 * @returns {{ from: StateNode, to: StateNode, label: string }[]}
 */
function listTransitions(node) {
  return Object.values(node.states).flatMap(child => [...listOwnTransitions(child), ...listTransitions(child)])
}

/**
 * @param {StateNode} node
 * @returns {{ from: StateNode, to: StateNode, label: string }[]}
 */
function listOwnTransitions(node) {
  const transitions = [...(node.always ?? []), ...[...node.transitions.values()].flat()]
  return transitions.flatMap(({ eventType, guard, target }) => {
    const label = [nameEvent(eventType), nameGuard(guard)].filter(part => part !== '').join(' ')
    return (target ?? []).map(to => ({ from: node, to, label }))
  })
}

/** @param {{ from: StateNode, to: StateNode, label: string }} edge */
function draw({ from, to, label }) {
  return `${from.key} --> ${to.key}: ${label}`
}

/** @param {string} type */
function nameEvent(type) {
  if (type === '') return 'always'
  const [, id] = /^xstate\.done\.actor\.(.+)$/.exec(type) ?? []
  return id === undefined ? type : `${id} answered`
}

/** @param {unknown} guard */
function nameGuard(guard) {
  if (guard === undefined) return ''
  const name = typeof guard === 'object' && guard !== null && 'type' in guard ? guard.type : guard
  return `[${String(name)}]`
}
