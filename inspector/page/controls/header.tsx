import { readToken } from '../connection/live-run.js'
import type { RunStore } from '../connection/run-store.js'
import type { SessionState } from '../model/entry.js'
import { Controls } from './controls.js'
import { PhasePill } from './phase-pill.js'

interface Props {
  readonly store: RunStore
  readonly session: SessionState | null
  readonly onHelp: () => void
}

/** What run this is, how it stands, and what can be done with it. */
export function Header({ store, session, onHelp }: Props) {
  const { connection } = store
  const run = session?.context.run ?? 1
  return (
    <header class="top">
      <h1 class="brand">
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M4 4v16M20 4v16" />
          <path class="brand-arm" d="M7 9l6-5M17 9l-2-2" />
        </svg>
        safepoint
      </h1>
      <PhasePill session={session} connection={connection} />
      {run > 1 && <span class="run-number">run {run}</span>}
      <span class="task" title={session?.context.task}>
        {session?.context.task}
      </span>
      <div class="actions">
        {connection !== 'saved' && session && (
          <Controls session={session} isConnected={connection === 'connected'} send={store.send} />
        )}
        {connection === 'connected' && session && (
          <a class="button" href={`/save?token=${encodeURIComponent(readToken())}`} download>
            Save this run
          </a>
        )}
        <button type="button" class="icon" onClick={onHelp} aria-label="Help" title="Keys and help (?)">
          ?
        </button>
      </div>
    </header>
  )
}
