import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'

import type { RunStore } from './connection/run-store.js'
import { DisconnectedBanner } from './controls/disconnected-banner.js'
import { Header } from './controls/header.js'
import { HelpDialog } from './controls/help-dialog.js'
import { ConversationPanel } from './conversation/conversation-panel.js'
import { EvidencePanel } from './evidence/evidence-panel.js'
import { ModelPanel } from './evidence/model-panel.js'
import { MachinePanel } from './machine/machine-panel.js'
import { PHASE_NAMES } from './model/session-notes.js'
import { TimelinePanel } from './timeline/timeline-panel.js'
import { EmptyState } from './view/empty-state.js'
import { SectionTabs } from './view/section-tabs.js'
import { useCursor } from './view/use-cursor.js'
import { type KeyMap, useKeys } from './view/use-keys.js'
import { usePlayback } from './view/use-playback.js'
import { useStore } from './view/use-store.js'

/** The whole page: one run, seen at one instant. */
export function App({ store }: { readonly store: RunStore }) {
  useStore(store)
  const { timeline, connection } = store
  const { entries, session } = timeline
  const cursor = useCursor(timeline)
  usePlayback(cursor)
  const [isHelpOpen, setHelpOpen] = useState(false)
  const filter = useRef<HTMLInputElement>(null)
  const closeHelp = useCallback(() => setHelpOpen(false), [])
  const keys = useMemo(
    (): KeyMap => ({
      ArrowLeft: () => cursor.goBy(-1),
      ArrowRight: () => cursor.goBy(1),
      Home: () => cursor.goTo(0),
      End: cursor.goToEnd,
      ' ': cursor.togglePlay,
      b: cursor.goToBoundary,
      l: cursor.goLive,
      Escape: cursor.goLive,
      '/': () => filter.current?.focus(),
      '?': () => setHelpOpen(true),
    }),
    [cursor],
  )
  useKeys(keys)

  const { entry } = cursor
  const phase = session?.phase
  useEffect(() => {
    if (phase) document.title = `${PHASE_NAMES[phase]} · safepoint inspector`
  }, [phase])
  const shown = entry?.session ?? session
  const isPast = !cursor.isLive && entry !== null
  const isEmpty = entries.length === 0 && !session?.context.error
  return (
    <div class={isPast ? 'app past' : 'app'} data-phase={phase} data-connection={connection}>
      <Header store={store} session={session} onHelp={() => setHelpOpen(true)} />
      <DisconnectedBanner connection={connection} />
      <SectionTabs />
      {isEmpty ? (
        <EmptyState connection={connection} />
      ) : (
        <>
          <main class="panels">
            <MachinePanel chart={entry?.machine?.agent.chart ?? timeline.chart} cursor={cursor} />
            <ConversationPanel cursor={cursor} shown={shown} live={session} connection={connection} send={store.send} />
            <div class="side">
              <ModelPanel session={shown} />
              <EvidencePanel session={shown} />
            </div>
          </main>
          <TimelinePanel timeline={timeline} cursor={cursor} filter={filter} />
        </>
      )}
      <HelpDialog isOpen={isHelpOpen} onClose={closeHelp} />
    </div>
  )
}
