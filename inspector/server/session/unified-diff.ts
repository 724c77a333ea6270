import { createTwoFilesPatch } from 'diff'

/** Beyond these a comparison is given up: the work grows with the square of what differs. */
const MOST_EDITS = 2_000
const MOST_MILLISECONDS = 100

/**
 * The unified diff of a file; `''` when nothing differs.
 *
 * @param before - `null` for a file that did not exist.
 * @param after - `null` for a file that no longer exists.
 */
export function createUnifiedDiff(path: string, before: string | null, after: string | null): string {
  if (before === after) return ''
  const names = [before === null ? '/dev/null' : `a/${path}`, after === null ? '/dev/null' : `b/${path}`] as const
  const options = { context: 3, maxEditLength: MOST_EDITS, timeout: MOST_MILLISECONDS }
  const patch = createTwoFilesPatch(...names, before ?? '', after ?? '', undefined, undefined, options)
  if (patch !== undefined) return patch.replace(/^=+\n/, '')
  // Too different to be compared line by line: all of the old goes, all of the new comes.
  return [`--- ${names[0]}`, `+++ ${names[1]}`, ...markLines('-', before), ...markLines('+', after), ''].join('\n')
}

function markLines(mark: '-' | '+', text: string | null): readonly string[] {
  if (text === null || text === '') return []
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n').map(line => mark + line)
}
