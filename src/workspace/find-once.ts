/** Where a text stands in another, when it does so exactly once; overlapping places count. */
export type Finding = { readonly start: number } | 'absent' | 'repeated'

/**
 * Looks for a text in time that grows with the two lengths and not with their product, whatever they are: the search
 * that comes with strings takes seconds on texts that nearly match everywhere. (Knuth, Morris and Pratt.)
 *
 * @param wanted - Not empty.
 */
export function findOnce(text: string, wanted: string): Finding {
  const fallback = createFallback(wanted)
  let start: number | undefined
  let matched = 0
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    while (matched > 0 && (matched === wanted.length || wanted.charCodeAt(matched) !== unit)) {
      matched = fallback[matched - 1] ?? 0
    }
    if (wanted.charCodeAt(matched) === unit) matched += 1
    if (matched < wanted.length) continue
    if (start !== undefined) return 'repeated'
    start = index - wanted.length + 1
  }
  return start === undefined ? 'absent' : { start }
}

/** For each length of what was matched: how much of it is still matched when the next unit differs. */
function createFallback(wanted: string): Uint32Array {
  const fallback = new Uint32Array(wanted.length)
  let length = 0
  for (let index = 1; index < wanted.length; index += 1) {
    const unit = wanted.charCodeAt(index)
    while (length > 0 && wanted.charCodeAt(length) !== unit) length = fallback[length - 1] ?? 0
    if (wanted.charCodeAt(length) === unit) length += 1
    fallback[index] = length
  }
  return fallback
}
