import { useEffect, useRef, useState } from 'preact/hooks'

import type { ControlMessage, PendingApproval } from '../../wire.js'
import { Diff } from '../evidence/diff.js'

interface Props {
  readonly pending: PendingApproval
  readonly isConnected: boolean
  readonly send: (message: ControlMessage) => void
}

/** An effect that waits for a word. It takes the focus to its heading, so that no key answers it by accident. */
export function ApprovalCard({ pending, isConnected, send }: Props) {
  const { id, tool, argv, argvIsCut, path, diff } = pending
  const heading = useRef<HTMLHeadingElement>(null)
  const [reason, setReason] = useState('')
  const [isAnswered, setAnswered] = useState(false)
  useEffect(() => {
    if (!document.activeElement?.matches('input, textarea, dialog *')) heading.current?.focus()
  }, [])

  const answer = (message: ControlMessage): void => {
    setAnswered(true)
    send(message)
  }
  const isDisabled = isAnswered || !isConnected
  return (
    <section class="approval" aria-labelledby="approval-title">
      <h3 id="approval-title" ref={heading} tabIndex={-1}>
        Allow <code>{tool}</code>
        {path !== undefined && (
          <>
            {' '}
            on <code>{path}</code>
          </>
        )}
        ?
      </h3>
      {argv && <code class="argv">{argv.map(quote).join(' ')}</code>}
      {argvIsCut && <p class="cut">cut: the command is too long to be shown whole</p>}
      {diff && <Diff diff={diff} />}
      <form
        onSubmit={event => {
          event.preventDefault()
          answer({ type: 'deny', id, ...(reason.trim() === '' ? {} : { reason: reason.trim() }) })
        }}
      >
        <button type="button" class="main" disabled={isDisabled} onClick={() => answer({ type: 'approve', id })}>
          Approve
        </button>
        <button type="submit" class="deny" disabled={isDisabled}>
          Deny
        </button>
        <input
          aria-label="Reason for denying, shown to the model"
          placeholder="reason, for the model (optional)"
          maxLength={500}
          value={reason}
          onInput={event => setReason(event.currentTarget.value)}
        />
      </form>
      <p class="hint">Silence is no: nothing happens until you answer.</p>
    </section>
  )
}

/** An argument so that one can see where it begins and ends. */
function quote(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : JSON.stringify(argument)
}
