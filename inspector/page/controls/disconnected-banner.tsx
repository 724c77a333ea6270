import type { Connection } from '../connection/run-store.js'

/** What must not be missed: that the server is gone. */
export function DisconnectedBanner({ connection }: { readonly connection: Connection }) {
  if (connection !== 'disconnected') return <div />
  return (
    <p class="banner gone" role="alert">
      <strong>Disconnected.</strong> The inspector’s server does not answer; trying again. What you see is how far it
      came.
    </p>
  )
}
