const live = new Set<number>()

/** Ends every process of a group at once; a group that is gone already is fine. */
export function killGroup(leader: number | undefined): void {
  if (leader === undefined) return
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // Nobody is left in the group, or what is left has changed its user and may not be ended.
  }
}

/**
 * Sees to it that a group does not outlive this process when it exits in mid-command. (One that is killed cannot do
 * anything any more.)
 *
 * @returns Ends the watch; to be called when the leader is gone.
 */
export function watchGroup(leader: number | undefined): () => void {
  if (leader === undefined) return () => undefined
  if (live.size === 0) process.on('exit', killLive)
  live.add(leader)
  return () => {
    live.delete(leader)
    if (live.size === 0) process.off('exit', killLive)
  }
}

function killLive(): void {
  for (const leader of live) killGroup(leader)
}
