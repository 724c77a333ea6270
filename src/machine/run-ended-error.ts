import { AgentError } from '../errors.js'
import type { AgentRun } from './agent-run.js'

/**
 * The run ended before the boundary (`run_ended`), whatever its stop reason: there is no checkpoint. The finished run is
 * in `run`.
 */
export class RunEndedError extends AgentError {
  override readonly name = 'RunEndedError'
  readonly run: AgentRun

  constructor(run: AgentRun) {
    super(
      'run_ended',
      `The run ended before the boundary (${run.reason}); ask for an earlier boundary, or take the run as it is.`,
    )
    this.run = run
  }
}
