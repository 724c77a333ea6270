import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

import { AgentError } from 'safepoint'
import type * as z from 'zod'

import type { WireEvent } from '../../wire.js'
import { RunStream } from '../stream/run-stream.js'
import { toWireError } from '../wire/wire-error.js'
import { toSavedLine } from './report-shell.js'
import { wireEventSchema } from './wire-schema.js'

/** A trace that was read. */
export interface Trace {
  readonly stream: RunStream
  /** What is to be known about it: that its last line is torn, for one. */
  readonly notices: readonly string[]
}

/**
 * Reads a trace, each line checked. A last line that is torn, as a run that was killed leaves it, is left out.
 *
 * @throws AgentError: `invalid_trace` for a line that is no event, or not in its place (names the line), and for a trace
 * without events; `io_failed` when the file cannot be read.
 */
export async function readTrace(file: string): Promise<Trace> {
  const stream = new RunStream()
  const name = JSON.stringify(file)
  let torn: AgentError | undefined
  let number = 0
  for await (const line of readLines(file)) {
    // Only the last line may be torn: there is one more, so it was another fault.
    if (torn !== undefined) throw torn
    number += 1
    const place = `line ${number} of the trace ${name}`
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch (cause) {
      torn = new AgentError('invalid_trace', `The ${place} is not JSON; name a file that --trace has written.`, {
        cause,
      })
      continue
    }
    add(stream, readEvent(value, place), place)
  }
  if (torn !== undefined && number === 1) throw torn
  if (stream.end === 0) throw new AgentError('invalid_trace', `The trace ${name} has no events in it.`)
  return { stream, notices: torn === undefined ? [] : [`The last line of the trace is torn, and was left out.`] }
}

async function* readLines(file: string): AsyncGenerator<string> {
  try {
    yield* createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })
  } catch (cause) {
    if (cause instanceof AgentError) throw cause
    const message = `The trace ${JSON.stringify(file)} cannot be read: ${toWireError(cause).message}.`
    throw new AgentError('io_failed', message, { cause })
  }
}

function readEvent(value: unknown, place: string): WireEvent {
  const parsed = wireEventSchema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new AgentError('invalid_trace', `The ${place} is not an event: ${describeIssue(parsed.error.issues[0])}.`)
}

// Of a snapshot that is neither an agent's nor the session's, the nearer of the two tells what is wrong.
function describeIssue(issue: z.core.$ZodIssue | undefined): string {
  if (issue === undefined) return 'it does not fit'
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const [nearest = []] = [...issue.errors].sort((a, b) => a.length - b.length)
    const [inner] = nearest
    if (inner !== undefined) return describeIssue({ ...inner, path: [...issue.path, ...inner.path] })
  }
  const path = issue.path.map(String).join('.')
  return path === '' ? issue.message : `"${path}": ${issue.message}`
}

function add(stream: RunStream, event: WireEvent, place: string): void {
  const { omitted: _, ...kept } = event
  if (kept.index < stream.end) {
    const message = `The ${place} has the index ${kept.index}, which has passed: its lines are out of order.`
    throw new AgentError('invalid_trace', message)
  }
  const actor = kept.type === '@xstate.actor' ? (kept.sessionId === 'session' ? 'session' : 'agent') : undefined
  stream.appendLine({ line: toSavedLine(JSON.stringify(kept)), index: kept.index, actor })
}
