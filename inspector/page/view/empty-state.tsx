import type { Connection } from '../connection/run-store.js'

/** What stands in the place of a run that has not begun. */
export function EmptyState({ connection }: { readonly connection: Connection }) {
  const isGone = connection === 'disconnected'
  return (
    <main class="empty">
      <svg class="empty-gate" viewBox="0 0 120 60" aria-hidden="true">
        <path d="M6 6v48M114 6v48" />
        <path class="empty-arm" d="M12 20h96" />
      </svg>
      <h2>{isGone ? 'Nobody is there' : 'Waiting for the first event'}</h2>
      <p>
        {isGone
          ? 'The inspector’s server does not answer. Start it again and open the address that it prints.'
          : 'The run is shown from its first step on, as soon as it begins.'}
      </p>
    </main>
  )
}
