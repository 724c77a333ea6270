import type { AgentContext } from './entry.js'
import { formatCount } from './format.js'

type Explain = (context: AgentContext) => string

/** Why a guard said no, in numbers; a guard that is not known here has no reason to give. */
const REASONS: Readonly<Record<string, Explain>> = {
  contextLimitReached: ({ contextChars, limits }) =>
    `${formatCount(contextChars)} of ${formatCount(limits.maxContextChars)} characters`,
  stepLimitReached: ({ step, limits }) => `step ${step} of ${limits.maxSteps}`,
  boundaryReached: ({ toolCalls, afterToolCalls }) =>
    afterToolCalls === null ? 'no boundary in this run' : `${toolCalls} of ${afterToolCalls} tool calls`,
  isFinal: () => 'not a final answer',
  isInvalid: () => 'the action is valid',
  isInvalidTooOften: ({ invalidActions, limits }) => `${invalidActions} of ${limits.maxInvalidActions} invalid actions`,
  isRepeatedTooOften: ({ identicalActions, limits }) =>
    `asked ${identicalActions}×, ${limits.maxIdenticalActions} allowed`,
}

export function explainRefusal(guard: string | null, context: AgentContext): string {
  return (guard !== null && REASONS[guard]?.(context)) || 'the guard said no'
}
