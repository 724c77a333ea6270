import type { CutText } from '../../wire.js'
import { countDiff, readDiff } from '../model/diff-lines.js'
import { Diff } from './diff.js'

/** The files that the run has changed, each with its change. */
export function Files({ files }: { readonly files: readonly { readonly path: string; readonly diff: CutText }[] }) {
  if (files.length === 0) return null
  return (
    <ul class="files" aria-label="Changed files">
      {files.map(({ path, diff }) => {
        const { added, removed } = countDiff(readDiff(diff.text))
        return (
          <li key={path}>
            <details open={files.length === 1}>
              <summary>
                <b>{path}</b> <span class="added">+{added}</span> <span class="removed">−{removed}</span>
              </summary>
              <Diff diff={diff} />
            </details>
          </li>
        )
      })}
    </ul>
  )
}
