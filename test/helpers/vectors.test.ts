import { describe, expect, it } from 'vitest'
import { expandVector, loadVectors } from './vectors.js'

describe('expandVector', () => {
  it('builds long texts', () => {
    expect(expandVector({ $repeat: ['ab', 3] })).toBe('ababab')
    expect(expandVector({ $concat: ['<', { $repeat: ['é', 2] }, '>'] })).toBe('<éé>')
  })

  it('makes the values that JSON cannot carry', () => {
    expect(expandVector([{ $js: 'Infinity' }, { $js: 'undefined' }])).toEqual([Number.POSITIVE_INFINITY, undefined])
    expect(typeof expandVector({ $js: 'symbol' })).toBe('symbol')
    expect(() => expandVector({ $js: 'nonsense' })).toThrow('the unknown value nonsense')
  })

  it('leaves everything else as it is, a key __proto__ included', () => {
    const text = '{"a":[1,{"$system":true},null],"__proto__":{"b":"$js"},"two":{"$js":1,"more":2}}'
    expect(JSON.stringify(expandVector(JSON.parse(text)))).toBe(text)
  })
})

describe('loadVectors', () => {
  it('refuses a file that is not there', () => {
    expect(() => loadVectors('nonsense')).toThrow('nonsense.json')
  })
})
