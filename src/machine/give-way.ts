/** How long a run may go on without a turn of the event loop, in milliseconds. */
const LONGEST_STRETCH = 50

/** When the work of this turn of the event loop began; `null` until it does. */
let began: number | null = null

/**
 * Lets timers and streams have their turn when runs have gone on for long without one. A model and a workspace that
 * answer at once make a whole run one chain of microtasks, in which nothing else happens: no timeout could abort it.
 *
 * @returns A promise of the next turn, or nothing when there is no need to wait.
 */
export function giveWay(): Promise<void> | undefined {
  if (began === null) {
    began = performance.now()
    setTimeout(() => {
      began = null
    }, 0)
  }
  if (performance.now() - began < LONGEST_STRETCH) return undefined
  return new Promise(resolve => setTimeout(resolve, 0))
}
