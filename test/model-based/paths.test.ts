import { agentMachine } from 'safepoint'
import { describe, expect, test } from 'vitest'
import type { AnyStateNode, AnyTransitionDefinition } from 'xstate'

import { FAILURES, type Letter } from './alphabet.js'
import { BEGINNINGS, explore, predict } from './explore.js'
import { playForReal, type RealRun } from './real-run.js'

/** Every transition of the machine, by where it comes from, what takes it and where it goes. */
function listTransitions(node: AnyStateNode): readonly AnyTransitionDefinition[] {
  const own = [...(node.always ?? []), ...[...node.transitions.values()].flat()]
  return [...own, ...Object.values(node.states).flatMap(listTransitions)]
}

function nameTransition({ source, eventType, guard, target }: AnyTransitionDefinition): string {
  const condition = guard === undefined ? '' : ` [${(guard as { readonly type: string }).type}]`
  return `${source.id} ${eventType || 'always'}${condition} → ${target?.map(node => node.id).join() ?? 'nowhere'}`
}

const taken = new Set<string>()

describe.for(BEGINNINGS)('$name', beginning => {
  const { states, transitions, words } = explore(beginning)

  test('has so many states, transitions between them, and paths', () => {
    const counts = {
      runAgent: { states: 70, transitions: 75, paths: 93 },
      runToCheckpoint: { states: 71, transitions: 75, paths: 109 },
      resumeAgent: { states: 71, transitions: 76, paths: 94 },
      resumeToCheckpoint: { states: 72, transitions: 76, paths: 110 },
    }[beginning.name]
    expect({ states, transitions, paths: words.length }).toEqual(counts)
  })

  test.for(words.map(word => ({ name: word.join(' ') || '(nothing happens)', word })))('$name', async ({ word }) => {
    const real = await playForReal(beginning, word)
    expectToMatch(real, beginning, word)
    for (const transition of real.transitions) taken.add(nameTransition(transition))
  })
})

test('the real runs of all these paths together take every transition that the machine has', () => {
  const all = listTransitions(agentMachine.root).map(nameTransition)
  // The wildcard has no target: it is there so that nothing happens.
  const expected = all.filter(name => !name.endsWith('nowhere'))
  expect(expected).toHaveLength(13)
  expect([...taken].sort()).toEqual(expected.sort())
})

test('every guard is taken both ways on these paths', () => {
  const answers = new Map<string, Set<boolean>>()
  const { guards } = agentMachine.implementations as { guards: Record<string, (...given: unknown[]) => boolean> }
  const listening = Object.entries(guards).map(([name, guard]) => {
    answers.set(name, new Set())
    const listen = (...given: unknown[]): boolean => {
      const answer = guard(...given)
      answers.get(name)?.add(answer)
      return answer
    }
    return [name, listen]
  })
  const machine = agentMachine.provide({ guards: Object.fromEntries(listening) })
  for (const beginning of BEGINNINGS) for (const word of explore(beginning).words) predict(beginning, word, machine)
  expect(answers.size).toBe(7)
  for (const [name, seen] of answers) expect([name, seen]).toEqual([name, new Set([false, true])])
})

function expectToMatch(real: RealRun, beginning: (typeof BEGINNINGS)[number], word: readonly Letter[]): void {
  const { states, end } = predict(beginning, word)
  // A word that has not come to the resume yet is played on to the model call, where the real run cannot but go.
  const isBeforeResume = beginning.isResumed && word.length === 0
  expect(real.states).toEqual(isBeforeResume ? [...states, 'awaitModel'] : states)
  expect(real.events).toEqual(end.context.events.toArray())
  const last = word.at(-1)
  if (end.status === 'error') {
    expect(real.end).toEqual({ kind: 'error', code: FAILURES[last as keyof typeof FAILURES].code })
  } else if (end.status === 'done') {
    expect(real.end).toEqual({ kind: 'output', output: end.output })
  } else {
    expect(real.end).toEqual({ kind: 'error', code: 'aborted' })
  }
}
