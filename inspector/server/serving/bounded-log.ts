import { RateLimit } from './rate-limit.js'

/** A log that others can make this server write to: their lines come seldom, and what they say is cut. */
export function createBoundedLog(log: (line: string) => void): (line: string) => void {
  const limit = new RateLimit(20, 2)
  let left = 0
  return line => {
    if (!limit.take()) {
      left += 1
      return
    }
    if (left > 0) log(`${left} more lines were left out.`)
    left = 0
    log(line.slice(0, 500))
  }
}
