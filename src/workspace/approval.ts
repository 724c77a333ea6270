import type { ToolAction } from '../conversation/action.js'
import { AgentError, describeThrown } from '../errors.js'
import { isBlank } from '../unicode.js'
import { untilAborted } from './serial-queue.js'

/** What an operator may answer. */
export type Approval = boolean | { readonly approved: true } | { readonly approved: false; readonly reason: string }

/**
 * Asked once before each effect, after every check has passed and before anything is touched, with the frozen action.
 * `true` and `{ approved: true }` approve; everything else denies, a throw or a rejection included, and a reason is
 * shown to the model. It may take as long as it likes: an answer that comes after an abort has no effect. The workspace
 * takes no other call meanwhile, so it must not wait for one on the same workspace.
 */
export type ConfirmTool = (action: ToolAction) => Approval | Promise<Approval>

/**
 * Resolves when the operator has approved the action.
 *
 * @throws AgentError (`approval_denied`) for every other answer; the signal's reason as soon as it is aborted.
 */
export async function requireApproval(
  confirmTool: ConfirmTool | undefined,
  action: ToolAction,
  signal: AbortSignal | undefined,
): Promise<void> {
  signal?.throwIfAborted()
  if (confirmTool === undefined) throw denied('nobody is there to approve it')
  let answer: unknown
  try {
    answer = await untilAborted(new Promise<unknown>(resolve => resolve(confirmTool(action))), signal)
  } catch (cause) {
    signal?.throwIfAborted()
    throw denied(`the approval failed: ${describeThrown(cause)}`, cause)
  }
  signal?.throwIfAborted()
  const { isApproved, reason } = readAnswer(answer)
  if (!isApproved) throw denied(reason)
}

function readAnswer(answer: unknown): { readonly isApproved: boolean; readonly reason?: unknown } {
  if (typeof answer !== 'object' || answer === null) return { isApproved: answer === true }
  try {
    const { approved, reason } = answer as { readonly approved?: unknown; readonly reason?: unknown }
    return { isApproved: approved === true, reason }
  } catch {
    return { isApproved: false }
  }
}

function denied(reason: unknown, cause?: unknown): AgentError {
  const suffix = typeof reason === 'string' && !isBlank(reason) ? `: ${reason.toWellFormed()}` : ''
  const message = `operator denied the tool action${suffix}`
  return cause === undefined
    ? new AgentError('approval_denied', message)
    : new AgentError('approval_denied', message, { cause })
}
