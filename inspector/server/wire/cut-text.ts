import type { CutText } from '../../wire.js'

/** How much of a text is sent, in code points. */
export const MOST_TEXT = 8_000

const SURROGATE = /[\ud800-\udfff]/

/** The first `limit` code points of a text, with the length of the whole; a pair of surrogates is never cut in two. */
export function cutText(text: string, limit = MOST_TEXT, length = countCodePoints(text)): CutText {
  return { text: length <= limit ? text : text.slice(0, endOf(text, limit)), length }
}

/** The number of code points in a text; a lone surrogate counts as one. */
export function countCodePoints(text: string): number {
  // Most texts have no surrogate at all, and a regular expression finds that out much faster than a loop.
  if (!SURROGATE.test(text)) return text.length
  let count = text.length
  for (let index = 1; index < text.length; index += 1) if (isPair(text, index - 1)) count -= 1
  return count
}

function endOf(text: string, limit: number): number {
  if (!SURROGATE.test(text.slice(0, limit))) return limit
  let index = 0
  for (let taken = 0; taken < limit && index < text.length; taken += 1) index += isPair(text, index) ? 2 : 1
  return index
}

function isPair(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00
}
