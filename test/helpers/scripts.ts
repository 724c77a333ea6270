/** Responses for scripts, as a model would write them. */
export const readReadme = '{"tool":"read_file","path":"README.md"}'
export const listRoot = '{"tool":"list_files"}'
export const finish = '{"final":"done"}'

/** What a promise rejected with; fails when it was fulfilled. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  const outcome = await promise.then(
    value => ({ value }),
    (reason: unknown) => ({ reason }),
  )
  if ('reason' in outcome) return outcome.reason
  throw new Error(`it was fulfilled with ${JSON.stringify(outcome.value)}`)
}

/** Whether a value and all that hangs on it are frozen. */
export function isDeeplyFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  return Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen)
}
