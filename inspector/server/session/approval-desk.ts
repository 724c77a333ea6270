import type { Approval, ToolAction } from 'safepoint'

import type { PendingApproval } from '../../wire.js'
import type { ShownChange } from './changed-files.js'

/** The most of a command that is sent: a longer one cannot be judged here, and says so. */
const MOST_ARGUMENTS = 512
const MOST_ARGUMENT = 8_000

/**
 * Where effects wait for a person's word. There is no timeout: silence is no answer, and the run waits. An answer counts
 * once, for the very effect that was shown: its number is never used again, not even by a later run.
 */
export class ApprovalDesk {
  readonly #onChange: () => void
  readonly #takeId: () => number
  #pending: { readonly shown: PendingApproval; readonly answer: (approval: Approval) => void } | undefined

  /** @param takeId - Gives a number that was never given before. */
  constructor(takeId: () => number, onChange: () => void) {
    this.#takeId = takeId
    this.#onChange = onChange
  }

  get pending(): PendingApproval | null {
    return this.#pending?.shown ?? null
  }

  /** Resolves with the answer; never, when the run is aborted before there is one. */
  ask(action: ToolAction, change: ShownChange | undefined): Promise<Approval> {
    return new Promise(resolve => {
      this.#pending = { shown: { id: this.#takeId(), ...show(action, change) }, answer: resolve }
      this.#onChange()
    })
  }

  /** Whether the answer was for the effect that waits; any other has no effect. */
  answer(id: number, approval: Approval): boolean {
    const pending = this.#pending
    if (pending === undefined || pending.shown.id !== id) return false
    this.#pending = undefined
    pending.answer(approval)
    return true
  }

  /** Nothing waits any more: the run is over. */
  clear(): void {
    this.#pending = undefined
  }
}

function show(action: ToolAction, change: ShownChange | undefined): Omit<PendingApproval, 'id'> {
  if (action.tool === 'run_command') {
    const { argv } = action.arguments
    const isCut = argv.length > MOST_ARGUMENTS || argv.some(argument => argument.length > MOST_ARGUMENT)
    if (!isCut) return { tool: action.tool, argv }
    const shown = argv.slice(0, MOST_ARGUMENTS).map(argument => argument.slice(0, MOST_ARGUMENT))
    return { tool: action.tool, argv: shown, argvIsCut: true }
  }
  return { tool: action.tool, ...(change && { path: change.path, diff: change.diff }) }
}
