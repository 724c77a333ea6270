import type { CutText } from '../../wire.js'
import { readDiff } from '../model/diff-lines.js'
import { formatCount } from '../model/format.js'
import { ScrollRegion } from '../view/scroll-region.js'

/** A change line by line, coloured; what is added and taken away keeps its sign. */
export function Diff({ diff }: { readonly diff: CutText }) {
  const lines = readDiff(diff.text)
  return (
    <ScrollRegion class="diff" name="Change">
      {lines.map(({ kind, text }, index) => (
        <code key={index} class={kind}>
          {text === '' ? ' ' : text}
        </code>
      ))}
      {diff.length > diff.text.length && <span class="cut">cut: {formatCount(diff.length)} characters</span>}
    </ScrollRegion>
  )
}
