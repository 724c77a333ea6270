import type { Connection } from '../connection/run-store.js'
import type { SessionState } from '../model/entry.js'
import { PHASE_NAMES } from '../model/session-notes.js'

/** The phase of the run in a few words, also for those who do not see it change. */
export function PhasePill({ session, connection }: { session: SessionState | null; connection: Connection }) {
  const isGone = connection === 'disconnected'
  const phase = session?.phase
  const name = isGone ? 'disconnected' : phase ? PHASE_NAMES[phase] : 'no run yet'
  return (
    <span class="pill" role="status" data-phase={isGone ? 'disconnected' : (phase ?? 'none')}>
      <i aria-hidden="true" />
      {connection === 'saved' && <span class="pill-saved">saved run ·</span>} {name}
    </span>
  )
}
