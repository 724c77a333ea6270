import { useEffect } from 'preact/hooks'

import type { Cursor } from './use-cursor.js'

const SHORTEST = 350
const LONGEST = 1100

/** Goes through the timeline while it is played: slowly enough to follow, longer where the run took longer. */
export function usePlayback({ isPlaying, entry, playOn }: Cursor): void {
  useEffect(() => {
    if (!isPlaying || entry === null) return
    const wait = Math.max(SHORTEST, Math.min(entry.duration ?? SHORTEST, LONGEST))
    const timer = setTimeout(playOn, wait)
    return () => clearTimeout(timer)
  }, [isPlaying, entry, playOn])
}
