import { agentMachine } from 'safepoint'
import { describe, expect, test } from 'vitest'
import { type AnyStateNode, createMachine } from 'xstate'

import { findBoundaryFaults, listStates } from './structure.js'

type Definition = Record<string, unknown> & { states: Record<string, Definition> }

/** The machine's own definition with one thing changed. */
function changed(change: (states: Record<string, Definition>, definition: Definition) => void): AnyStateNode {
  const definition = copy(agentMachine.config) as Definition
  change(definition.states, definition)
  return createMachine(definition as never).root
}

// The functions in the definition stay as they are; only the shape is looked at.
function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copy(item)]))
}

const inner = (states: Record<string, Definition>): Record<string, Definition> =>
  (states.maybeCheckpoint as Definition).states

describe('the definition of the machine', () => {
  test('holds the boundary', () => {
    expect(findBoundaryFaults(agentMachine.root)).toEqual([])
  })

  test('tags the places of the boundary and no others', () => {
    const tagged = listStates(agentMachine.root).filter(node => node.tags.includes('boundary'))
    expect(tagged.map(node => node.path.join('.'))).toEqual(['maybeCheckpoint.boundary', 'maybeCheckpoint.restored'])
  })

  test('is the same after a copy, so that the changes below are what is found', () => {
    expect(findBoundaryFaults(changed(() => undefined))).toEqual([])
  })
})

describe('a definition that was changed is found out', () => {
  test.for<[string, RegExp, (states: Record<string, Definition>, definition: Definition) => void]>([
    [
      'a second way into saving',
      /saving is entered past the gate: awaitModel skip/,
      states => Object.assign(states.awaitModel as Definition, { on: { skip: '#agent.maybeCheckpoint.saving' } }),
    ],
    [
      'a gate without its guard',
      /saving is entered past the gate: maybeCheckpoint.boundary always/,
      states => Object.assign(inner(states).boundary as Definition, { always: [{ target: 'saving' }] }),
    ],
    [
      'a tool that goes on to the boundary',
      /the boundary has a further way in: executeTool .*executeTool/,
      states =>
        Object.assign((states.executeTool as Definition).invoke as object, { onDone: { target: 'maybeCheckpoint' } }),
    ],
    [
      'a restored machine that goes on by itself',
      /restored has a further way out: maybeCheckpoint.restored always/,
      states => Object.assign(inner(states).restored as Definition, { always: '#agent.awaitModel' }),
    ],
    [
      'a further event that a restored machine listens to, above it',
      /restored has a further way out: maybeCheckpoint skip/,
      states => Object.assign(states.maybeCheckpoint as Definition, { on: { skip: '#agent.awaitModel' } }),
    ],
    [
      'an event that moves a running machine to where a restored one stands',
      /restored is entered by a transition/,
      states => Object.assign(states.awaitModel as Definition, { on: { restore: '#agent.maybeCheckpoint.restored' } }),
    ],
    [
      'an append that appends nothing',
      /appendObservation appends nothing/,
      states => Object.assign(states.appendObservation as Definition, { entry: [] }),
    ],
    [
      'a boundary that stands before the append',
      /saving is reachable from executeTool without an appended pair/,
      states =>
        Object.assign((states.executeTool as Definition).invoke as object, { onDone: { target: 'maybeCheckpoint' } }),
    ],
    [
      'a state that never ends',
      /awaitModel does not reach done/,
      states => {
        for (const name of ['awaitModel', 'executeTool']) {
          states[name] = { invoke: { id: name, src: name, onDone: 'awaitModel' } } as unknown as Definition
        }
      },
    ],
    [
      'a timer in a place of the boundary',
      /maybeCheckpoint.boundary invokes or waits/,
      states => Object.assign(inner(states).boundary as Definition, { after: { 100: '#agent.done' } }),
    ],
    [
      'an invoke around the places of the boundary',
      /maybeCheckpoint invokes or waits, and maybeCheckpoint.restored is tagged/,
      states => Object.assign(states.maybeCheckpoint as Definition, { invoke: { id: 'callModel', src: 'callModel' } }),
    ],
    [
      'a machine that starts at the boundary',
      /the machine starts behind the append/,
      (_, definition) => Object.assign(definition, { initial: 'maybeCheckpoint' }),
    ],
    [
      'no way to saving at all',
      /nothing leads to saving/,
      states => Object.assign(inner(states).boundary as Definition, { always: '#agent.awaitModel' }),
    ],
  ])('%s', ([, fault, change]) => {
    expect(findBoundaryFaults(changed(change)).some(found => fault.test(found))).toBe(true)
  })
})
