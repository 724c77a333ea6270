import { createWebSocketReceiver } from '@xstate/inspect'

import type { ControlMessage, WireEvent } from '../../wire.js'
import type { RunStore } from './run-store.js'

const FIRST_WAIT = 250
const LONGEST_WAIT = 4000

/** The token that the server put into the page's own address. */
export function readToken(): string {
  return new URLSearchParams(location.search).get('token') ?? ''
}

/**
 * Keeps a store connected to the server that this page came from. The receiver of `@xstate/inspect` does not tell when
 * its connection ends; the socket of the controls does, and when it is back a new receiver gets the whole run again.
 */
export function connectLive(store: RunStore): void {
  let wait = FIRST_WAIT
  let unsubscribe: (() => void) | undefined

  const open = (): void => {
    // The two sockets of a page belong together: the server ends both when one of them ends.
    const page = crypto.randomUUID()
    const control = new WebSocket(toAddress('/control', page))
    control.addEventListener('open', () => {
      wait = FIRST_WAIT
      store.send = message => sendControl(control, message)
      store.connect('connected')
      const receiver = createWebSocketReceiver({ server: toAddress('/events', page) })
      // The types of the receiver are those of XState's own events; what this server sends is the wire.
      const subscription = receiver.subscribe(event => store.append(event as unknown as WireEvent))
      unsubscribe = () => subscription.unsubscribe()
    })
    control.addEventListener('close', () => {
      unsubscribe?.()
      unsubscribe = undefined
      store.send = () => {}
      store.connect('disconnected')
      setTimeout(open, wait)
      wait = Math.min(wait * 2, LONGEST_WAIT)
    })
  }
  open()
}

function sendControl(control: WebSocket, message: ControlMessage): void {
  if (control.readyState === WebSocket.OPEN) control.send(JSON.stringify(message))
}

function toAddress(path: string, page: string): string {
  return `ws://${location.host}${path}?${new URLSearchParams({ token: readToken(), page })}`
}
