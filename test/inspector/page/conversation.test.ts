import { describe, expect, it } from 'vitest'
import { Timeline } from '../../../inspector/page/model/timeline.js'
import { recordDemo } from './fixtures.js'

const timeline = new Timeline()
for (const event of await recordDemo()) timeline.append(event)
const steps = timeline.entries.filter(({ kind }) => kind !== 'session')

describe('the conversation at an instant', () => {
  it('has as many pairs as were appended by then', () => {
    expect(steps.map(({ machine }) => machine?.pairCount)).toEqual([0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3])
  })

  it('has half a pair while a tool runs, and at no other time', () => {
    const open = steps.filter(({ machine }) => machine?.context.decision && machine.leaf !== 'done')
    expect(open.map(({ title }) => title)).toEqual(['executeTool', 'executeTool', 'executeTool'])
  })

  it('knows of each pair its tool, its step and the entry that appended it', () => {
    const [first] = steps
    expect(first?.machine?.agent.head.map(({ role }) => role)).toEqual(['system', 'user'])
    const pairs = first?.machine?.agent.pairs ?? []
    expect(pairs.map(({ step, action, position }) => [step, action?.name, position])).toEqual([
      [1, 'read_file', 2],
      [2, 'edit_file', 4],
      [3, 'run_command', 6],
    ])
    expect(pairs.map(({ entry }) => timeline.entries[entry ?? -1]?.title)).toEqual([
      'appendObservation',
      'appendObservation',
      'appendObservation',
    ])
  })

  it('knows of restored pairs what the model before had said of them', () => {
    const [before, after] = [steps[0]?.machine?.agent, steps.at(-1)?.machine?.agent]
    expect(after).not.toBe(before)
    expect(after?.restoredPairs).toBe(3)
    expect(after?.pairs).toEqual(before?.pairs)
  })
})
