import { cutText } from '../wire/cut-text.js'

const MOST_REASON = 500

/** An answer as it is shown. It may come from anyone's `confirmTool`, and be anything. */
export function readAnswer(answer: unknown): { readonly approved: boolean; readonly reason?: string } {
  if (typeof answer !== 'object' || answer === null) return { approved: answer === true }
  const { approved, reason } = answer as { readonly approved?: unknown; readonly reason?: unknown }
  const isReason = approved !== true && typeof reason === 'string' && reason !== ''
  return { approved: approved === true, ...(isReason && { reason: cutText(reason, MOST_REASON).text }) }
}
