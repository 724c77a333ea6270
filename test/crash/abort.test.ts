import * as library from 'safepoint'
import { expect, test, vi } from 'vitest'
import { isAlive } from '../helpers/processes.js'
import { rejectionOf } from '../helpers/scripts.js'
import { createTempDir } from '../helpers/temp-dir.js'
import {
  expectNothingAgain,
  expectReceiptsOfWhatCameBack,
  expectToEndWell,
  expectWholeCheckpoints,
  readFiles,
  replay,
} from './checks.js'
import { discoverPlaces, isLong, KINDS } from './places.js'
import { type Kind, live, type Place, readPid, setStage } from './story.mjs'

const places = await discoverPlaces(KINDS)

/** What may still be reached after an abort: the end of the write that was under way, and of its tool. */
const UNDER_WAY: readonly Kind[] = ['temporary', 'receipt', 'tool', 'model', 'save', 'restore', 'keep']

test('the story has places of every kind at which it can be aborted', () => {
  expect(new Set(places.map(({ kind }) => kind))).toEqual(new Set(KINDS))
  expect(places.length).toBeGreaterThan(110)
})

// Every second place; all of them in the long version.
const chosen = places.filter((_, index) => isLong || index % 2 === 0)

test.each(chosen.map(place => [place.name, place] as const))(
  'an abort %s loses nothing that was kept',
  async (_, target) => {
    const stage = setStage(await createTempDir())
    const controller = new AbortController()
    const reason = new Error('aborted on purpose')
    const after: Place[] = []
    const at = (place: Place): void => {
      if (controller.signal.aborted) after.push(place)
      if (place.name === target.name) controller.abort(reason)
    }
    const fault = await rejectionOf(live(library, stage, { at, signal: controller.signal }))

    expect(fault).toBe(reason)
    expect(after.filter(({ name }) => name.startsWith('before model') || name.startsWith('before the tool'))).toEqual(
      [],
    )
    expect(after.filter(({ kind }) => !UNDER_WAY.includes(kind))).toEqual([])
    expectWholeCheckpoints(stage)
    expectNothingAgain(stage)
    const receipts = await expectReceiptsOfWhatCameBack(stage)
    expect(readFiles(stage)).toEqual(replay(receipts))
    expect(process.getActiveResourcesInfo().filter(name => name.startsWith('Process'))).toEqual([])
    if (target.kind === 'command') {
      const name = target.name.endsWith(' 5') ? 'build' : 'check'
      const pid = readPid(stage, name) ?? 0
      expect(pid).toBeGreaterThan(1)
      await vi.waitFor(() => expect(isAlive(pid)).toBe(false), 5_000)
      expect(receipts.map(receipt => receipt.arguments.argv?.[3])).not.toContain(name)
    }

    await expectToEndWell(stage)
  },
)
