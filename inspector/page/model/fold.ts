import type { CutText } from '../../wire.js'

/** A text as it is shown first: its beginning, and how much more there is. */
export interface Folded {
  readonly head: string
  /** Whether there is more than the head in what was sent. */
  readonly isFolded: boolean
  /** What it was in characters, when not all of it was sent. */
  readonly cut: number | null
}

const MOST_CHARACTERS = 480
const MOST_LINES = 8

/** The beginning of a long text; a text that fits is given whole. */
export function fold({ text, length }: CutText): Folded {
  let end = Math.min(text.length, MOST_CHARACTERS)
  let lines = 0
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) {
    lines += 1
    if (lines === MOST_LINES) end = at
  }
  // No half of a surrogate pair at the end.
  if (end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end -= 1
  return { head: text.slice(0, end), isFolded: end < text.length, cut: isCut(text, length) ? length : null }
}

// Code points are at most as many as UTF-16 units: only when those do not tell, they are counted.
function isCut(text: string, length: number): boolean {
  if (length > text.length) return true
  return length > [...text].length
}

const OBSERVATION_PREFIX = 'Tool result:\n'

/** An observation without the words that every one begins with. */
export function toObservation({ text, length }: CutText): CutText {
  if (!text.startsWith(OBSERVATION_PREFIX)) return { text, length }
  return { text: text.slice(OBSERVATION_PREFIX.length), length: length - OBSERVATION_PREFIX.length }
}
