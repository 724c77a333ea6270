import { shortId } from '../model/format.js'

/** Where the conversation was cut: all above it is in the checkpoint. */
export function CheckpointLine({ id, isResumed }: { readonly id: string; readonly isResumed: boolean }) {
  return (
    <div class="cut-line" title={id}>
      <span>
        checkpoint <code>{shortId(id)}</code>
        {isResumed && ' · fresh model from here'}
      </span>
    </div>
  )
}
