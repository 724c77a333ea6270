import { AgentError, initialMessages, type Role } from 'safepoint'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { createMessage, isRole, OBSERVATION_PREFIX } from '../../src/conversation/message.js'
import { catchThrown, createRevokedProxy, findUnfrozen } from '../helpers/values.js'

describe('initialMessages', () => {
  it('are the rules, then the task, each as it is', () => {
    expect(initialMessages(' the task\n', 'the rules')).toStrictEqual([
      { role: 'system', content: 'the rules' },
      { role: 'user', content: ' the task\n' },
    ])
  })

  it('are deeply frozen', () => {
    expect(findUnfrozen(initialMessages('task', 'rules'))).toEqual([])
  })

  it.each([undefined, null, 1, ['task'], new String('task')])('refuse %j in either place', value => {
    const text = value as string
    for (const call of [() => initialMessages(text, 'rules'), () => initialMessages('task', text)]) {
      const thrown = catchThrown(call)
      expect(thrown).toBeInstanceOf(AgentError)
      expect(thrown).toMatchObject({ code: 'invalid_message', message: expect.stringContaining('must be a string') })
    }
  })
})

describe('createMessage', () => {
  it.each(['system', 'user', 'assistant'] as const)('knows the role %s', role => {
    expect(createMessage(role, '')).toStrictEqual({ role, content: '' })
  })

  const others = ['', 'User', 'user ', 'tool', 'constructor', null, undefined, 0, ['user'], createRevokedProxy()]
  for (const [index, role] of others.entries()) {
    it(`refuses what is no role, value ${index}`, () => {
      const thrown = catchThrown(() => createMessage(role as Role, 'content'))
      expect(thrown).toMatchObject({ name: 'AgentError', code: 'invalid_message' })
      expect(isRole(role)).toBe(false)
    })
  }

  it('has three roles, and a prefix for observations', () => {
    expectTypeOf<Role>().toEqualTypeOf<'system' | 'user' | 'assistant'>()
    expect(OBSERVATION_PREFIX).toBe('Tool result:\n')
  })
})
