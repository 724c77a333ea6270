import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

import type { ControlMessage } from '../../wire.js'
import type { Connection } from '../connection/run-store.js'
import type { SessionState } from '../model/entry.js'
import { ScrollRegion } from '../view/scroll-region.js'
import type { Cursor } from '../view/use-cursor.js'
import { ApprovalCard } from './approval-card.js'
import { Conversation } from './conversation.js'
import { OutcomeCard } from './outcome-card.js'

interface Props {
  readonly cursor: Cursor
  /** The session at the instant that is shown. */
  readonly shown: SessionState | null
  /** The session now. */
  readonly live: SessionState | null
  readonly connection: Connection
  readonly send: (message: ControlMessage) => void
}

/** The conversation as it was at the instant that is shown, and below it what now waits for a person. */
export function ConversationPanel({ cursor, shown, live, connection, send }: Props) {
  const scroller = useRef<HTMLElement>(null)
  const { entry } = cursor
  const outcome = shown?.context
  const length = (entry?.machine?.pairCount ?? 0) + (entry?.machine?.context.decision ? 1 : 0)

  const pending = live?.context.controllable ? live.context.pending : null

  useLayoutEffect(() => {
    const element = scroller.current
    if (element) element.scrollTop = element.scrollHeight
  }, [length, entry?.machine?.agent, outcome?.checkpoint, outcome?.outcome, outcome?.error, pending])

  const wasPending = useRef(false)
  useEffect(() => {
    // The card had the focus; it must not be lost with it.
    if (wasPending.current && pending === null && document.activeElement === document.body) scroller.current?.focus()
    wasPending.current = pending !== null
  }, [pending])

  return (
    <section id="conversation" class="panel conversation" aria-labelledby="conversation-title">
      <h2 id="conversation-title">The conversation</h2>
      <ScrollRegion class="scroller" element={scroller} name="Messages">
        {entry && <Conversation entry={entry} session={shown} onEntry={cursor.goTo} />}
        {shown && <OutcomeCard session={shown} />}
      </ScrollRegion>
      {pending && (
        <ApprovalCard key={pending.id} pending={pending} isConnected={connection === 'connected'} send={send} />
      )}
    </section>
  )
}
