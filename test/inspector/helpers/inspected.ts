import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'

import { type Inspection, type InspectOptions, inspectRun, type PreparedRun } from '../../../inspector/server/index.js'
import type { ControlMessage, Phase, SessionSnapshot, WireEvent } from '../../../inspector/wire.js'
import { prepareSample } from './sample-run.js'

/** An inspection with one page that is connected to it. */
export interface Inspected {
  readonly inspection: Inspection
  readonly page: TestPage
  readonly log: readonly string[]
  readonly port: number
  readonly token: string
}

/** Inspects the sample run, or a changed one; everything is closed after the test. */
export async function inspect(changes: Partial<PreparedRun> = {}, options: InspectOptions = {}): Promise<Inspected> {
  const log: string[] = []
  // Made before the test can be over, so that its directory is removed after it.
  let first: PreparedRun | undefined = await prepareSample(changes)
  const prepare = async (): Promise<PreparedRun> => {
    const prepared = first ?? (await prepareSample(changes))
    first = undefined
    return prepared
  }
  const inspection = await inspectRun(prepare, { onLog: line => log.push(line), ...options })
  onTestFinished(() => inspection.close())
  const { port, searchParams } = new URL(inspection.url)
  const page = await openPage(inspection.url)
  return { inspection, page, log, port: Number(port), token: String(searchParams.get('token')) }
}

/** Opens a page's two sockets, as the real page does. */
export async function openPage(url: string): Promise<TestPage> {
  const page = new TestPage(url)
  await page.opened
  return page
}

/** What the real page is to the server: it reads the events, and sends controls. */
export class TestPage {
  readonly events: WireEvent[] = []
  readonly opened: Promise<unknown>
  readonly sockets: readonly [events: WebSocket, control: WebSocket]
  #listeners: (() => void)[] = []

  constructor(url: string) {
    const { host, search } = new URL(url)
    const name = `&page=${Math.random()}`
    const open = (path: string): WebSocket =>
      new WebSocket(`ws://${host}${path}${search}${name}`, { origin: `http://${host}` })
    this.sockets = [open('/events'), open('/control')]
    this.sockets[0].on('message', data => {
      this.events.push(JSON.parse((data as Buffer).toString()) as WireEvent)
      for (const listener of this.#listeners) listener()
    })
    this.opened = Promise.all(this.sockets.map(opening))
    onTestFinished(() => {
      for (const socket of this.sockets) socket.terminate()
    })
  }

  /** The session's newest snapshot. */
  get session(): SessionSnapshot | undefined {
    return this.events.map(toSession).findLast(snapshot => snapshot !== undefined)
  }

  control(message: ControlMessage): void {
    this.sockets[1].send(JSON.stringify(message))
  }

  /** Resolves with the first session snapshot from now on, or the newest one, that is as it should be. */
  async until(isReached: (snapshot: SessionSnapshot) => boolean): Promise<SessionSnapshot> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`it never came; last: ${JSON.stringify(this.session)}`)), 10_000)
      const look = (): void => {
        const { session } = this
        if (session === undefined || !isReached(session)) return
        clearTimeout(timer)
        this.#listeners = this.#listeners.filter(listener => listener !== look)
        resolve(session)
      }
      this.#listeners.push(look)
      look()
    })
  }

  phase(value: Phase): Promise<SessionSnapshot> {
    return this.until(snapshot => snapshot.value === value)
  }

  /** Approves whatever waits, by the number it was shown with. */
  async approve(): Promise<SessionSnapshot> {
    const shown = await this.phase('approval')
    this.control({ type: 'approve', id: shown.context.pending?.id ?? 0 })
    await this.until(snapshot => snapshot.context.pending?.id !== shown.context.pending?.id)
    return shown
  }
}

export function toSession(event: WireEvent): SessionSnapshot | undefined {
  return event.sessionId === 'session' && 'snapshot' in event ? (event.snapshot as SessionSnapshot) : undefined
}

function opening(socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve())
    socket.once('error', reject)
  })
}
