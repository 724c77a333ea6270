import { createColors } from 'picocolors'

/** What a stream tells of itself; `process.stdout` has it. */
interface ColorStream {
  readonly isTTY?: boolean
}

/**
 * Colours when a terminal has them: never under `NO_COLOR`, as `FORCE_COLOR` says when it is set, else for a terminal
 * that is not dumb. (The default of the library also turns them on wherever `CI` is set, in a pipe too.)
 */
export function chooseColors(environment: NodeJS.ProcessEnv, stream: ColorStream): ReturnType<typeof createColors> {
  const { NO_COLOR, FORCE_COLOR, TERM } = environment
  if (NO_COLOR) return createColors(false)
  if (FORCE_COLOR) return createColors(FORCE_COLOR !== '0')
  return createColors(stream.isTTY === true && TERM !== 'dumb')
}
