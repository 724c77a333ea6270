import * as library from 'safepoint'
import { expect, test } from 'vitest'
import { rejectionOf } from '../helpers/scripts.js'
import { createTempDir } from '../helpers/temp-dir.js'
import {
  expectNothingAgain,
  expectReceiptsOfWhatCameBack,
  expectToEndWell,
  expectWholeCheckpoints,
  findInFlight,
  readFiles,
  replay,
} from './checks.js'
import { discoverPlaces, isLong } from './places.js'
import { type Kind, live, type Place, setStage } from './story.mjs'

/**
 * Which error a throw ends a run with, by who throws it; outside a run it is the caller's own. What the operator and
 * the file system throw ends no run: it is an observation, and its tests are with the workspace's.
 */
const CODES: Partial<Record<Kind, library.AgentErrorCode | 'the value itself'>> = {
  model: 'model_failed',
  tool: 'workspace_failed',
  receipt: 'workspace_failed',
  event: 'listener_failed',
  save: 'save_failed',
  restore: 'restore_failed',
  keep: 'the value itself',
}

const places = await discoverPlaces(Object.keys(CODES) as Kind[])

/** An error and its causes, the innermost last. */
function causesOf(fault: unknown): readonly unknown[] {
  return fault instanceof Error && fault.cause !== undefined ? [fault, ...causesOf(fault.cause)] : [fault]
}

async function liveUntilThrow(stage: Parameters<typeof live>[1], target: Place, thrown: unknown): Promise<unknown> {
  let isAfter = false
  const at = (place: Place): void => {
    if (isAfter) throw new Error(`the run went on to a place ${place.name}`)
    if (place.name !== target.name) return
    isAfter = true
    throw thrown
  }
  const fault = await rejectionOf(live(library, stage, { at }))
  expect(isAfter).toBe(true)
  return fault
}

test('the story has places of every kind at which something can be thrown', () => {
  expect(new Set(places.map(({ kind }) => kind))).toEqual(new Set(Object.keys(CODES)))
  expect(places.length).toBeGreaterThan(90)
})

// An abort is tried at the other half of the places.
const chosen = places.filter((_, index) => isLong || index % 2 === 1)

test.each(chosen.map(place => [place.name, place] as const))(
  'a throw %s loses nothing that was kept',
  async (_, place) => {
    const stage = setStage(await createTempDir())
    const thrown = new Error('thrown on purpose')
    const fault = await liveUntilThrow(stage, place, thrown)

    expect(causesOf(fault).at(-1)).toBe(thrown)
    if (place.kind !== 'keep') expect(fault).toMatchObject({ name: 'AgentError', code: CODES[place.kind] })
    expectWholeCheckpoints(stage)
    expectNothingAgain(stage)
    const receipts = await expectReceiptsOfWhatCameBack(stage)
    // One throw alone comes between an effect and its receipt: that of the store which is to keep it.
    const isLost = place.name.startsWith('before the receipt')
    const lost = isLost ? findInFlight(stage) : undefined
    expect(lost !== undefined).toBe(isLost)
    expect(readFiles(stage)).toEqual(replay(lost ? [...receipts, lost] : receipts))
    expect(process.getActiveResourcesInfo().filter(name => name.startsWith('Process'))).toEqual([])

    await expectToEndWell(stage)
  },
)
