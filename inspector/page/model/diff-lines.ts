/** A line of a unified diff with what it is. */
export interface DiffLine {
  readonly kind: 'added' | 'removed' | 'hunk' | 'context'
  readonly text: string
}

const MOST_LINES = 400

/** A unified diff line by line, without the head that names the files. */
export function readDiff(diff: string): readonly DiffLine[] {
  const lines = diff.replace(/\n$/, '').split('\n')
  const start = lines.findIndex(line => line.startsWith('@@'))
  return (start === -1 ? lines : lines.slice(start)).slice(0, MOST_LINES).map(toDiffLine)
}

function toDiffLine(text: string): DiffLine {
  if (text.startsWith('@@')) return { kind: 'hunk', text }
  if (text.startsWith('+')) return { kind: 'added', text }
  if (text.startsWith('-')) return { kind: 'removed', text }
  return { kind: 'context', text }
}

/** How many lines a diff adds and removes. */
export function countDiff(lines: readonly DiffLine[]): { readonly added: number; readonly removed: number } {
  const count = (kind: DiffLine['kind']): number => lines.filter(line => line.kind === kind).length
  return { added: count('added'), removed: count('removed') }
}
