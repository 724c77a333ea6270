import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareCodePoints, countCodePoints, isBlank, takeCodePoints } from '../src/unicode.js'
import { anyText } from './helpers/texts.js'

describe('countCodePoints', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['é', 1],
    ['e\u0301', 2],
    ['😀', 1],
    ['a😀b', 3],
    ['👩‍👩‍👧', 5],
    ['\ud83d', 1],
    ['\ude00', 1],
    ['\ude00\ud83d', 2],
    ['\ud83d\ud83d\ude00\ude00', 3],
    ['\u{10ffff}'.repeat(1000), 1000],
  ])('counts %j as %i', (text, count) => {
    expect(countCodePoints(text)).toBe(count)
  })

  it('counts as iterating a text does', () => {
    fc.assert(fc.property(anyText, text => countCodePoints(text) === [...text].length))
  })
})

describe('takeCodePoints', () => {
  it.each([
    ['abc', 2, 'ab'],
    ['abc', 3, 'abc'],
    ['abc', 9, 'abc'],
    ['abc', 0, ''],
    ['😀😀', 1, '😀'],
    ['a😀b', 2, 'a😀'],
    ['\ud83dx', 1, '\ud83d'],
    ['\ude00\ud83d\ude00', 2, '\ude00\ud83d\ude00'],
  ])('takes of %j the first %i', (text, limit, taken) => {
    expect(takeCodePoints(text, limit)).toBe(taken)
  })

  it('takes as cutting the list of code points does', () => {
    const limit = fc.integer({ min: 0, max: 40 })
    fc.assert(fc.property(anyText, limit, (text, n) => takeCodePoints(text, n) === [...text].slice(0, n).join('')))
  })
})

describe('compareCodePoints', () => {
  it('puts U+FFFF before U+10000, as `<` does not', () => {
    expect(['\uffff', '\u{10000}'].sort()).toEqual(['\u{10000}', '\uffff'])
    expect(compareCodePoints('\uffff', '\u{10000}')).toBeLessThan(0)
    expect(compareCodePoints('\u{10000}', '\ue000')).toBeGreaterThan(0)
  })

  it('puts a prefix first, and calls only the same text equal', () => {
    expect(compareCodePoints('a', 'ab')).toBeLessThan(0)
    expect(compareCodePoints('ab', 'a')).toBeGreaterThan(0)
    expect(compareCodePoints('', '')).toBe(0)
    expect(compareCodePoints('é', 'e\u0301')).not.toBe(0)
  })

  it('puts a lone surrogate at its own place, between U+D7FF and U+E000', () => {
    expect(compareCodePoints('\ud800', '\ud7ff')).toBeGreaterThan(0)
    expect(compareCodePoints('\ud800', '\ue000')).toBeLessThan(0)
    expect(compareCodePoints('\udfff', '\ud800\udc00')).toBeLessThan(0)
  })

  it('orders texts as their lists of code points', () => {
    const part = fc.constantFrom(
      'a',
      '\ud7ff',
      '\ue000',
      '\uffff',
      '\u{10000}',
      '\u{10ffff}',
      '\ud800',
      '\udbff',
      '\udc00',
    )
    const text = fc.oneof(
      anyText,
      fc.array(part).map(parts => parts.join('')),
    )
    fc.assert(
      fc.property(text, text, text, (start, a, b) => {
        const [left, right] = [start + a, start + b]
        expect(Math.sign(compareCodePoints(left, right))).toBe(compareLists(toCodePoints(left), toCodePoints(right)))
      }),
      { numRuns: 2000 },
    )
  })
})

describe('isBlank', () => {
  // The characters of White_Space in the Unicode Character Database (PropList), and the four the reference adds.
  const BLANK = new Set([
    ...range(0x09, 0x0d),
    ...range(0x1c, 0x20),
    0x85,
    0xa0,
    0x1680,
    ...range(0x2000, 0x200a),
    0x2028,
    0x2029,
    0x202f,
    0x205f,
    0x3000,
  ])

  it('knows exactly White_Space and U+001C to U+001F, of all code points', () => {
    const blank = [...range(0, 0x10ffff)].filter(point => isBlank(String.fromCodePoint(point)))
    expect(blank).toEqual([...BLANK].sort((a, b) => a - b))
  })

  it('calls the empty text blank, and a text of blanks alone', () => {
    expect(isBlank('')).toBe(true)
    expect(isBlank(String.fromCodePoint(...BLANK))).toBe(true)
  })

  it.each([
    ['a byte-order mark', '\ufeff'],
    ['the Mongolian vowel separator', '\u180e'],
    ['a zero-width space', '\u200b'],
    ['a word joiner', '\u2060'],
    ['a NUL', '\0'],
    ['a blank Braille pattern', '\u2800'],
    ['a lone surrogate', '\ud800'],
    ['one letter among blanks', ' \n x \t'],
  ])('does not call %s blank', (_name, text) => {
    expect(isBlank(text)).toBe(false)
  })
})

function* range(first: number, last: number): Generator<number> {
  for (let point = first; point <= last; point += 1) yield point
}

function toCodePoints(text: string): readonly number[] {
  return [...text].map(character => character.codePointAt(0) ?? 0)
}

function compareLists(left: readonly number[], right: readonly number[]): number {
  const index = left.findIndex((point, position) => point !== right[position])
  if (index === -1) return Math.sign(left.length - right.length)
  return index >= right.length ? 1 : Math.sign((left[index] ?? 0) - (right[index] ?? 0))
}
