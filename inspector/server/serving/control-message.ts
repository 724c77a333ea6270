import * as z from 'zod'

import type { ControlMessage } from '../../wire.js'

const id = z.int().positive()

const schema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('pause') }),
  z.strictObject({ type: z.literal('continue') }),
  z.strictObject({ type: z.literal('step') }),
  z.strictObject({ type: z.literal('resume') }),
  z.strictObject({ type: z.literal('approve'), id }),
  z.strictObject({ type: z.literal('deny'), id, reason: z.exactOptional(z.string().max(1_000)) }),
  z.strictObject({ type: z.literal('abort') }),
  z.strictObject({ type: z.literal('runAgain') }),
]) satisfies z.ZodType<ControlMessage>

/** A message of a page, when it is one of the closed set; `undefined` for anything else. */
export function readControlMessage(text: string): ControlMessage | undefined {
  try {
    const { data } = schema.safeParse(JSON.parse(text))
    // The model reads the reason of a denial, so it is made whole where a character was cut in two.
    return data?.type === 'deny' && data.reason !== undefined ? { ...data, reason: data.reason.toWellFormed() } : data
  } catch {
    return undefined
  }
}
