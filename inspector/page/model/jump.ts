import type { Entry } from './entry.js'

/** The entry where a run stands at its boundary with the checkpoint taken, the newest; where the gate let it through
 * when the checkpoint is not there yet. */
export function findBoundary(entries: readonly Entry[]): Entry | undefined {
  const isTaken = ({ kind, session }: Entry): boolean => kind === 'session' && session?.phase === 'boundary'
  return entries.findLast(isTaken) ?? entries.findLast(isThroughGate)
}

/** Whether an entry is the step through the gate. */
export function isThroughGate({ kind, machine }: Entry): boolean {
  const gate = machine?.agent.chart?.gate ?? null
  return kind !== 'session' && gate !== null && machine?.transition === gate
}

/** The newest entry in a state before `from`; the newest of all when there is none before. */
export function findState(entries: readonly Entry[], path: string, from: number): Entry | undefined {
  const isIn = ({ kind, machine }: Entry): boolean => kind !== 'session' && machine?.paths.includes(path) === true
  return entries.findLast(entry => entry.n < from && isIn(entry)) ?? entries.findLast(isIn)
}
