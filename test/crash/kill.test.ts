import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import { isAlive } from '../helpers/processes.js'
import { createTempDir } from '../helpers/temp-dir.js'
import {
  expectNothingAgain,
  expectOutOfReach,
  expectReceiptsOfWhatCameBack,
  expectToEndWell,
  expectWholeCheckpoints,
  findInFlight,
  readFiles,
  replay,
  splitFiles,
} from './checks.js'
import { discoverPlaces, isLong, KINDS, spread } from './places.js'
import { type Place, readPid, type Stage, setStage } from './story.mjs'

const CHILD = fileURLToPath(new URL('story-child.mjs', import.meta.url))
const BUILT = fileURLToPath(new URL('../../dist/src/index.js', import.meta.url))
const CHILD_TIMEOUT = 25_000

if (!existsSync(BUILT)) throw new Error('dist/ is missing, and the story that is killed runs from it: npm run build')

const places = await discoverPlaces(KINDS)
const chosen = isLong ? places : spread(places)

interface Ending {
  readonly status: number | null
  readonly signal: NodeJS.Signals | null
  readonly errors: string
}

/** Lives in a process of its own until it is killed at the place. */
async function liveUntilKilled(stage: Stage, { name }: Place): Promise<void> {
  onTestFinished(() => {
    endOrphans(stage)
  })
  const child = spawn(process.execPath, [CHILD, dirname(stage.root), name], { stdio: ['ignore', 'ignore', 'pipe'] })
  const timer = setTimeout(() => child.kill('SIGTERM'), CHILD_TIMEOUT)
  const ending = await new Promise<Ending>((resolve, reject) => {
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      errors += chunk
    })
    child.once('error', reject)
    // The end of the process, not of its pipe: an orphan may hold that.
    child.once('exit', (status, signal) => resolve({ status, signal, errors }))
  }).finally(() => clearTimeout(timer))
  child.stderr.destroy()
  expect(ending).toEqual({ status: null, signal: 'SIGKILL', errors: '' })
}

/** The commands that have said who they are and are still running. */
function findOrphans(stage: Stage): readonly number[] {
  const pids = ['build', 'check'].map(name => readPid(stage, name) ?? 0)
  return pids.filter(pid => pid > 1 && isAlive(pid))
}

/** Ends the process groups that the commands of this stage lead. */
function endOrphans(stage: Stage): readonly number[] {
  const orphans = findOrphans(stage)
  for (const pid of orphans) process.kill(-pid, 'SIGKILL')
  return orphans
}

test('the story has places of every kind at which it can be killed', () => {
  expect(new Set(places.map(({ kind }) => kind))).toEqual(new Set(KINDS))
  expect(new Set(chosen.map(({ kind }) => kind))).toEqual(new Set(KINDS))
})

test.each(chosen.map(place => [place.name, place] as const))(
  'a kill %s loses nothing that was kept',
  async (_, place) => {
    const stage = setStage(await createTempDir())
    await liveUntilKilled(stage, place)
    await expectWhatAKillLeaves(stage, place)
    await expectToEndWell(stage)
  },
)

/** The state of the disk after a kill, with what is left running ended. */
async function expectWhatAKillLeaves(stage: Stage, { kind, name }: Place): Promise<void> {
  const orphans = endOrphans(stage)
  expect(orphans).toHaveLength(kind === 'command' ? 1 : 0)
  await vi.waitFor(() => expect(findOrphans(stage)).toEqual([]), 5_000)

  expectWholeCheckpoints(stage)
  expectNothingAgain(stage)
  const receipts = await expectReceiptsOfWhatCameBack(stage)
  const { lasting, temporary } = splitFiles(readFiles(stage))
  // Every receipt has its effect, and one effect at most, the one in flight, has no receipt.
  const inFlight = findInFlight(stage)
  const hasUnrecorded = !isDeepStrictEqual(lasting, replay(receipts))
  const isUnrecorded = kind === 'temporary' ? name.startsWith('after') : name.startsWith('before the receipt')
  expect(hasUnrecorded).toBe(isUnrecorded)
  expect(lasting).toEqual(replay(hasUnrecorded && inFlight ? [...receipts, inFlight] : receipts))
  // A new file has its name while the temporary one still has its own; an existing one is replaced in one step.
  const isReplaced = inFlight?.tool === 'edit_file' && name.startsWith('after')
  expect(temporary).toHaveLength(kind === 'temporary' && !isReplaced ? 1 : 0)
  await expectOutOfReach(stage, temporary)
}

test('a kill at every restore of one story, life after life, loses nothing that was kept', async () => {
  const stage = setStage(await createTempDir())
  for (const place of places.filter(({ name }) => name.startsWith('after the restore'))) {
    await liveUntilKilled(stage, place)
    await expectWhatAKillLeaves(stage, place)
  }
  await expectToEndWell(stage)
})
