const SURROGATE = /[\ud800-\udfff]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: four control characters are blank, too.
const BLANK = /^[\p{White_Space}\u001c-\u001f]*$/u

/** The number of Unicode code points in a text; a lone surrogate counts as one. */
export function countCodePoints(text: string): number {
  if (!SURROGATE.test(text)) return text.length
  let count = text.length
  for (let index = 1; index < text.length; index += 1) {
    if (isLowSurrogate(text.charCodeAt(index)) && isHighSurrogate(text.charCodeAt(index - 1))) count -= 1
  }
  return count
}

/** The first `limit` code points of a text; a pair of surrogates is never cut in two. */
export function takeCodePoints(text: string, limit: number): string {
  if (text.length <= limit) return text
  let index = 0
  for (let taken = 0; taken < limit && index < text.length; taken += 1) {
    const isPair = isHighSurrogate(text.charCodeAt(index)) && isLowSurrogate(text.charCodeAt(index + 1))
    index += isPair ? 2 : 1
  }
  return text.slice(0, index)
}

/** Orders two texts by code point, as Python and the canonical JSON do; `<` orders by UTF-16 unit, which differs. */
export function compareCodePoints(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  let index = 0
  while (index < length && left.charCodeAt(index) === right.charCodeAt(index)) index += 1
  if (index === length) return left.length - right.length
  // Where the first halves are the same, the second ones tell whether they make a pair at all.
  const isInPair = isLowSurrogate(left.charCodeAt(index)) || isLowSurrogate(right.charCodeAt(index))
  if (isInPair && index > 0 && isHighSurrogate(left.charCodeAt(index - 1))) index -= 1
  return (left.codePointAt(index) as number) - (right.codePointAt(index) as number)
}

/** Empty, or made of White_Space and U+001C to U+001F alone; U+FEFF is not blank. */
export function isBlank(text: string): boolean {
  return BLANK.test(text)
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
