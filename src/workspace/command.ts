import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'

import { AgentError, describeValue } from '../errors.js'
import { takeCodePoints } from '../unicode.js'
import { systemCode } from './io-fault.js'
import { MAX_OUTPUT_CODE_POINTS, OutputHead } from './output-head.js'
import { killGroup, watchGroup } from './process-group.js'

/** How one command is run. */
export interface CommandOptions {
  readonly cwd: string
  readonly timeoutSeconds: number
  readonly signal?: AbortSignal | undefined
}

/** What became of a command. */
export interface CommandOutcome {
  /** The leader's exit code, the negated number of the signal that ended it, or `timeout`. */
  readonly status: number | 'timeout'
  /** Standard output, then standard error, cut to the limit. */
  readonly output: string
}

type Ending = { readonly why: 'exit'; readonly status: number } | { readonly why: 'timeout' | 'abort' }

/** The longest delay a timer takes; a longer one would fire at once. */
const MAX_TIMER_MILLISECONDS = 2 ** 31 - 1
/** How long a killed leader may take to be gone; one that hangs in the kernel is not waited for. */
const KILL_GRACE_MILLISECONDS = 2_000
const DRAIN_MILLISECONDS = 1_000
const QUIET_ROUNDS = 3

/**
 * Runs one command without a shell, with an empty standard input, in a process group of its own. When the leader has
 * ended, on timeout and on abort, what is left of the group is killed and the streams are let go. A child that left the
 * group by `setsid` is out of reach: it lives on, and the answer does not wait for it. The command inherits the
 * environment.
 *
 * @throws AgentError (`command_failed`) when it cannot be started; the signal's reason when it was aborted.
 */
export async function runCommand(argv: readonly string[], options: CommandOptions): Promise<CommandOutcome> {
  options.signal?.throwIfAborted()
  const child = start(argv, options.cwd)
  const heads = [new OutputHead(child.stdout), new OutputHead(child.stderr)]
  try {
    const ending = await waitForEnding(child, argv, options)
    if (ending.why === 'abort') throw options.signal?.reason
    await drain(heads)
    const output = takeCodePoints(heads.map(head => head.text()).join(''), MAX_OUTPUT_CODE_POINTS)
    return { status: ending.why === 'exit' ? ending.status : 'timeout', output }
  } finally {
    for (const head of heads) head.release()
  }
}

function start(argv: readonly string[], cwd: string): ChildProcess {
  const [program = '', ...rest] = argv
  try {
    return spawn(program, rest, { cwd, detached: true, shell: false, stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (cause) {
    throw cannotStart(argv, cause)
  }
}

function waitForEnding(child: ChildProcess, argv: readonly string[], options: CommandOptions): Promise<Ending> {
  const { timeoutSeconds, signal } = options
  return new Promise((resolve, reject) => {
    let stopped: 'timeout' | 'abort' | undefined
    let grace: NodeJS.Timeout | undefined
    const stop = (why: 'timeout' | 'abort'): void => {
      if (stopped) return
      stopped = why
      killGroup(child.pid)
      grace = setTimeout(() => {
        child.unref()
        settle(null, null)
      }, KILL_GRACE_MILLISECONDS)
    }
    const abort = (): void => stop('abort')
    const endWatch = watchGroup(child.pid)
    const timer = setTimeout(() => stop('timeout'), Math.min(timeoutSeconds * 1_000, MAX_TIMER_MILLISECONDS))
    const cleanUp = (): void => {
      clearTimeout(timer)
      clearTimeout(grace)
      signal?.removeEventListener('abort', abort)
      endWatch()
      child.off('exit', settle)
    }
    const settle = (code: number | null, name: NodeJS.Signals | null): void => {
      cleanUp()
      // The leader is only just gone: its number cannot have been given to a new group yet.
      killGroup(child.pid)
      const status = code ?? -constants.signals[name ?? 'SIGKILL']
      resolve(stopped ? { why: stopped } : { why: 'exit', status })
    }
    child.once('exit', settle)
    child.on('error', cause => {
      cleanUp()
      reject(cannotStart(argv, cause))
    })
    signal?.addEventListener('abort', abort, { once: true })
  })
}

/**
 * Takes in what is already in the pipes. Whatever a process wrote before it ended can be read in the next round of the
 * event loop, so a few rounds in which nothing comes mean that there is nothing; waiting for the end of the stream would
 * mean waiting for every process that holds the pipe.
 */
async function drain(heads: readonly OutputHead[]): Promise<void> {
  const deadline = performance.now() + DRAIN_MILLISECONDS
  let received = -1
  let quiet = 0
  while (quiet < QUIET_ROUNDS && !heads.every(head => head.isComplete) && performance.now() < deadline) {
    const total = heads.reduce((sum, head) => sum + head.received, 0)
    quiet = total === received ? quiet + 1 : 0
    received = total
    await new Promise(resolve => setImmediate(resolve))
  }
}

function cannotStart(argv: readonly string[], cause: unknown): AgentError {
  const code = systemCode(cause)
  const message = `the command ${describeValue(argv[0])} could not be started${code === '' ? '' : ` (${code})`}`
  return new AgentError('command_failed', `${message}; go on without it`, { cause })
}
