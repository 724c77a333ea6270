import { AgentError, parseAction, type ToolName } from 'safepoint'
import { describe, expect, it } from 'vitest'
import { findUnfrozen } from '../helpers/values.js'
import { loadVectors } from '../helpers/vectors.js'

interface ActionVector {
  readonly name: string
  readonly response: string
  readonly enabled: readonly ToolName[] | null
  readonly verdict:
    | { readonly final: string }
    | { readonly tool: ToolName; readonly arguments: Readonly<Record<string, unknown>> }
    | { readonly error: true }
}

describe('parseAction agrees with the reference about', () => {
  it.each(loadVectors<ActionVector>('actions'))('$name', ({ response, enabled, verdict }) => {
    const parse = () => (enabled === null ? parseAction(response) : parseAction(response, new Set(enabled)))
    if ('error' in verdict) {
      expect(parse).toThrow(expect.objectContaining({ name: 'AgentError', code: 'invalid_action' }))
      expect(parse).toThrow(AgentError)
      return
    }
    const action = parse()
    expect(action).toStrictEqual({ kind: 'final' in verdict ? 'final' : 'tool', ...verdict })
    expect(findUnfrozen(action)).toEqual([])
  })
})
