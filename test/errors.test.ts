import { AgentError, type AgentErrorCode, ERROR_CODES } from 'safepoint'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { describeThrown, describeValue } from '../src/errors.js'
import { createRevokedProxy, createThrowingProxy } from './helpers/values.js'

describe('AgentError', () => {
  it('is an Error with its own name, a code and a message', () => {
    const error = new AgentError('invalid_task', 'The task must not be blank.')
    expect(error).toBeInstanceOf(Error)
    expect(error.name).toBe('AgentError')
    expect(error.code).toBe('invalid_task')
    expect(error.message).toBe('The task must not be blank.')
    expect(String(error)).toBe('AgentError: The task must not be blank.')
    expect(error.stack).toContain('errors.test')
  })

  it('has no cause when none is given', () => {
    expect(Object.hasOwn(new AgentError('io_failed', 'm'), 'cause')).toBe(false)
  })

  // Loops, not `it.each`: a title made from a hostile value would be the first to fail.
  for (const [index, cause] of [undefined, null, 0, '', Number.NaN, Symbol('s'), createRevokedProxy()].entries()) {
    it(`keeps the very value that was thrown as its cause, value ${index}`, () => {
      const error = new AgentError('model_failed', 'm', { cause })
      expect(Object.hasOwn(error, 'cause')).toBe(true)
      expect(Object.is(error.cause, cause)).toBe(true)
    })
  }

  it('has a code of a closed union, each with its meaning', () => {
    expectTypeOf<AgentErrorCode>().toEqualTypeOf<keyof typeof ERROR_CODES>()
    expectTypeOf<string>().not.toExtend<AgentErrorCode>()
    expect(Object.entries(ERROR_CODES).length).toBeGreaterThan(20)
    for (const [code, meaning] of Object.entries(ERROR_CODES)) {
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
      expect(meaning.length).toBeGreaterThan(10)
    }
  })
})

const nested = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as unknown

const hostile: readonly (readonly [name: string, value: unknown])[] = [
  ['a revoked proxy', createRevokedProxy()],
  ['a proxy that throws at everything', createThrowingProxy({}, new Error('trap'))],
  ['a proxy of an array that throws at everything', createThrowingProxy([], new Error('trap'))],
  ['a proxy of a function that throws at everything', createThrowingProxy(() => undefined, 1)],
  ['a proxy that throws itself to pieces', createThrowingProxy(new Error('inside'), createRevokedProxy())],
  ['100,000 brackets', nested],
  ['an error whose message throws', Object.defineProperty(new Error('m'), 'message', { get: throwAlways })],
  ['an error whose message is an object that throws', withMessage({ toString: throwAlways })],
  ['an error whose message is a symbol', withMessage(Symbol('message'))],
  ['an error whose message is undefined', withMessage(undefined)],
  ['an object without a prototype', Object.create(null)],
  [
    'an object whose toString throws',
    { toString: throwAlways, toJSON: throwAlways, [Symbol.toPrimitive]: throwAlways },
  ],
  ['an object with a hostile tag', Object.defineProperty({}, Symbol.toStringTag, { get: throwAlways })],
  ['a symbol', Symbol('hostile')],
  ['a bigint', 10n ** 1000n],
  ['a class', class Anything {}],
  ['50 million characters', 'x'.repeat(50_000_000)],
  ['an error of 50 million characters', new Error('x'.repeat(50_000_000))],
  ['an array of 2**32-1 holes', new Array(2 ** 32 - 1)],
  ['halves of pairs', '\ud83d'.repeat(1000)],
  ['an error of pairs, cut in the middle', new Error(`x${'😀'.repeat(1000)}`)],
]

describe('describeValue', () => {
  it.each([
    ['text', '"text"'],
    ['say "a"\n', '"say \\"a\\"\\n"'],
    ['x'.repeat(61), `"${'x'.repeat(60)}…"`],
    [null, 'null'],
    [undefined, 'undefined'],
    [true, 'true'],
    [-0, '-0'],
    [0, '0'],
    [Number.NaN, 'NaN'],
    [1.5, '1.5'],
    [10n, 'a bigint'],
    [Symbol('s'), 'a symbol'],
    [() => 1, 'a function'],
    [{ a: 1 }, 'an object'],
    [[1], 'an array'],
    [new Proxy([], {}), 'an array'],
  ])('names case %# of the plain values', (value, name) => {
    expect(describeValue(value)).toBe(name)
  })

  for (const [name, value] of hostile) {
    it(`names ${name} shortly and never throws`, () => {
      const text = describeValue(value)
      expect(text.length).toBeLessThan(400)
      expect(text.isWellFormed()).toBe(true)
    })
  }
})

describe('describeThrown', () => {
  it.each([
    [new Error('broken'), 'broken'],
    [new TypeError('of another class'), 'of another class'],
    [new AgentError('io_failed', 'own'), 'own'],
    [new Error(), 'an error without a message'],
    ['a text', '"a text"'],
    [undefined, 'undefined'],
    [{ message: 'not an error' }, 'an object'],
  ])('tells case %# of what may be thrown', (thrown, text) => {
    expect(describeThrown(thrown)).toBe(text)
  })

  for (const [name, thrown] of hostile) {
    it(`tells ${name} shortly and never throws`, () => {
      const text = describeThrown(thrown)
      expect(text).not.toBe('')
      expect(text.length).toBeLessThan(2000)
      expect(text.isWellFormed()).toBe(true)
    })
  }
})

function throwAlways(): never {
  throw new Error('hostile')
}

function withMessage(message: unknown): Error {
  return Object.defineProperty(new Error('replaced'), 'message', { value: message })
}
