import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as library from 'safepoint'
import { type Kind, live, type Place, setStage } from './story.mjs'

/** Every place of these kinds, in the order of the story: counted by telling it once without a fault. */
export async function discoverPlaces(kinds: readonly Kind[]): Promise<readonly Place[]> {
  const base = mkdtempSync(join(tmpdir(), 'safepoint-places-'))
  const places: Place[] = []
  try {
    await live(library, setStage(base), { at: place => places.push(place) })
  } finally {
    rmSync(base, { recursive: true })
  }
  const names = new Set(places.map(({ name }) => name))
  if (names.size < places.length) throw new Error('two places of the story have one name')
  return places.filter(({ kind }) => kinds.includes(kind))
}
