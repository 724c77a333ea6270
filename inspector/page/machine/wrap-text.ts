/** A text in lines of at most `width` characters and at most `most` lines; the last one says when there is more. */
export function wrapText(text: string, width: number, most: number): readonly string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length + 1 <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  if (lines.length <= most) return lines
  const kept = lines.slice(0, most)
  const last = kept.pop()
  return last === undefined ? [] : [...kept, `${last.slice(0, Math.max(0, width - 1))}…`]
}
