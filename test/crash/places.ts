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

/** Every kind of place that the story has. */
export const KINDS: readonly Kind[] = [
  'model',
  'tool',
  'approval',
  'temporary',
  'command',
  'receipt',
  'event',
  'save',
  'restore',
  'keep',
]

/** Whether every place is tried, and not a spread of them. */
export const isLong = process.env.SAFEPOINT_LONG === '1'

/** One place of each shape, a shape being a name without its number; of later shapes, later ones. */
export function spread(all: readonly Place[]): readonly Place[] {
  const shapes = new Map<string, readonly Place[]>()
  for (const place of all) {
    const numberless = place.name.replace(/\d+/, 'N')
    const shape = place.kind === 'tool' ? numberless.replace(/\(.*\)/, '') : numberless
    shapes.set(shape, [...(shapes.get(shape) ?? []), place])
  }
  return [...shapes.values()].flatMap((alike, index) => alike[index % alike.length] ?? [])
}
