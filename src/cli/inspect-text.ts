import pc from 'picocolors'

import type { DemoEvent } from './demo-events.js'

/** A function that turns what `safepoint inspect` tells into lines for a person: where to look, and what was saved. */
export function createInspectText(isLive: boolean): (event: DemoEvent) => string {
  const hint = isLive
    ? 'The run waits before its first model call; go on in the page. Ctrl-C ends everything.'
    : 'A trace: there is nothing to control. Ctrl-C ends this.'
  return event => {
    if (event.type === 'inspector') return `\n${pc.bold('safepoint inspect')}  ${event.url}\n\n${hint}\n`
    if (event.type === 'saved') return `saved ${event.file}\n`
    return ''
  }
}
