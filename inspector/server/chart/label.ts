import type { ChartTransition } from './definition.js'

/**
 * What stands beside an arrow, a line each: the event, then the guard in brackets. An eventless transition has its guard
 * alone; without a guard it says when it is taken, or nothing when it always is.
 *
 * @param above - The transition whose label stands right above on the same line: an event is said once.
 */
export function labelTransition({ event, guard, order }: ChartTransition, above?: ChartTransition): readonly string[] {
  const name = above?.event === event && guard !== null ? '' : nameEvent(event)
  const lines = [...(name === '' ? [] : [name]), ...(guard === null ? [] : [`[${guard}]`])]
  return lines.length === 0 && order > 0 ? ['otherwise'] : lines
}

function nameEvent(event: string): string {
  const [, kind, name] = /^xstate\.(done\.actor|error\.actor|done\.state|after)\.(.+)$/.exec(event) ?? []
  switch (kind) {
    case 'done.actor':
      return `${name} answered`
    case 'error.actor':
      return `${name} failed`
    case 'done.state':
      return `${name} ended`
    case 'after':
      return `after ${name} ms`
    default:
      return event
  }
}
