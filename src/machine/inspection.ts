import type { ActorOptions, InspectionEvent } from 'xstate'

import { describeThrown } from '../errors.js'
import type { agentMachine } from './agent-machine.js'

/** XState's own `inspect` option: a function or an observer of inspection events. */
export type Inspect = NonNullable<ActorOptions<typeof agentMachine>['inspect']>

/**
 * An inspector whose failures do not reach the run. What it throws, or rejects with, would be an uncaught exception inside
 * XState and the run would never settle; here the first failure is reported with `console.warn`, and the run goes on.
 */
export function guardInspect(inspect: Inspect): (event: InspectionEvent) => void {
  let hasFailed = false
  const report = (thrown: unknown): void => {
    if (hasFailed) return
    hasFailed = true
    console.warn(`safepoint: the inspect observer failed (${describeThrown(thrown)}); the run is not affected.`)
  }
  return event => {
    try {
      const returned: unknown = typeof inspect === 'function' ? inspect(event) : inspect.next?.(event)
      if (returned instanceof Promise) returned.catch(report)
    } catch (thrown) {
      report(thrown)
    }
  }
}
