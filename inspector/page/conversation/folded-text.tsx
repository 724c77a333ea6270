import { useState } from 'preact/hooks'

import type { CutText } from '../../wire.js'
import { fold } from '../model/fold.js'
import { countOf, formatCount } from '../model/format.js'

interface Props {
  readonly content: CutText
  /** Whether nothing of it is shown at first. */
  readonly isFoldedWhole?: boolean
}

/** A text from the run, always as text; a long one begins folded. */
export function FoldedText({ content, isFoldedWhole = false }: Props) {
  const [isOpen, setOpen] = useState(false)
  const { head, isFolded, cut } = fold(content)
  const shown = isOpen ? content.text : isFoldedWhole ? '' : head
  return (
    <>
      {shown !== '' && <code class="text">{shown}</code>}
      {(isFolded || isFoldedWhole) && (
        <button type="button" class="fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'fold' : `show all · ${countOf(content.length, 'character')}`}
        </button>
      )}
      {cut !== null && <span class="cut">cut: {formatCount(cut)} characters</span>}
      {content.text === '' && <code class="text none">(empty)</code>}
    </>
  )
}
