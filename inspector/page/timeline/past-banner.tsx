import { formatDuration } from '../model/format.js'
import type { Cursor } from '../view/use-cursor.js'

/** What must not be missed: that the page shows the past. */
export function PastBanner({ cursor }: { readonly cursor: Cursor }) {
  const { entry, isLive, count } = cursor
  if (isLive || entry === null) return null
  return (
    <p class="banner then">
      <strong>The past</strong>
      <span>
        entry {entry.n + 1} of {count}, {formatDuration(entry.at)} after the start. Looking back does not disturb the
        run.
      </span>
      <button type="button" onClick={cursor.goLive}>
        Back to live <kbd>L</kbd>
      </button>
    </p>
  )
}
