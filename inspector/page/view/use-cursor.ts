import { useMemo, useReducer } from 'preact/hooks'

import type { Entry } from '../model/entry.js'
import { findBoundary, findState } from '../model/jump.js'
import type { Timeline } from '../model/timeline.js'

/** Where the page looks: at one entry of the timeline, or at whatever is newest. Nothing of it reaches the run. */
export interface Cursor {
  /** The entry that is shown; `null` as long as there is none. */
  readonly entry: Entry | null
  readonly isLive: boolean
  readonly isPlaying: boolean
  /** How many entries there are. */
  readonly count: number
  readonly goTo: (n: number) => void
  readonly goBy: (steps: number) => void
  readonly goToEnd: () => void
  readonly goLive: () => void
  readonly goToBoundary: () => void
  readonly goToState: (path: string) => void
  readonly togglePlay: () => void
  /** One step of the playback; at the end it stops. */
  readonly playOn: () => void
}

interface Look {
  /** The number of the entry; `null` for the newest, whichever that is. */
  readonly at: number | null
  readonly isPlaying: boolean
}

export function useCursor({ entries }: Timeline): Cursor {
  // Each change is a function of the place at its time: keys may come faster than the page is drawn.
  const [look, change] = useReducer((before: Look, next: (before: Look) => Look) => next(before), LIVE)
  const count = entries.length
  const at = placeOf(look, entries)

  const moves = useMemo(() => {
    const goTo = (find: (here: number, isLive: boolean) => number | undefined): void =>
      change(before => {
        const to = find(placeOf(before, entries), before.at === null)
        if (to === undefined || entries.length === 0) return before
        return { at: Math.max(0, Math.min(to, entries.length - 1)), isPlaying: false }
      })
    return {
      goTo: (n: number) => goTo(() => n),
      // What is live has no next step.
      goBy: (steps: number) => goTo((here, isLive) => (isLive && steps > 0 ? undefined : here + steps)),
      goToEnd: () => goTo(() => entries.length - 1),
      goLive: () => change(() => LIVE),
      goToBoundary: () => goTo(() => findBoundary(entries)?.n),
      goToState: (path: string) => goTo(here => findState(entries, path, here)?.n),
      togglePlay: () =>
        change(before => {
          const here = placeOf(before, entries)
          // At the end there is nothing left to play: it begins again.
          const isAtEnd = !before.isPlaying && here >= entries.length - 1
          return { at: isAtEnd ? 0 : here, isPlaying: !before.isPlaying && entries.length > 1 }
        }),
      playOn: () =>
        change(before => {
          const to = placeOf(before, entries) + 1
          return to < entries.length ? { at: to, isPlaying: true } : { ...before, isPlaying: false }
        }),
    }
  }, [entries])

  return useMemo(
    () => ({ entry: entries[at] ?? null, isLive: look.at === null, isPlaying: look.isPlaying, count, ...moves }),
    [entries, at, look, count, moves],
  )
}

const LIVE: Look = { at: null, isPlaying: false }

function placeOf({ at }: Look, entries: readonly Entry[]): number {
  return Math.min(at ?? Infinity, entries.length - 1)
}
