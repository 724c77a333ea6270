import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CanonicalValue, canonicalId, canonicalJson } from '../src/canonical-json.js'
import { anyText } from './helpers/texts.js'

const PIECE_UNITS = 16_384
const PART_UNITS = 65_536

describe('canonicalJson', () => {
  it.each<[string, CanonicalValue, string]>([
    ['an empty text', '', '""'],
    ['an empty list', [], '[]'],
    ['an empty record', {}, '{}'],
    ['zero', 0, '0'],
    ['minus zero', -0, '0'],
    ['the largest safe integer', Number.MAX_SAFE_INTEGER, '9007199254740991'],
    ['a negative integer', -12, '-12'],
    ['keys out of order', { b: 1, a: { d: [], c: {} } }, '{"a":{"c":{},"d":[]},"b":1}'],
    ['keys above U+FFFF', { '\u{10000}': 1, '\uffff': 2, '': 3 }, '{"":3,"\\uffff":2,"\\ud800\\udc00":1}'],
    ['keys that look like numbers', { '10': 1, '9': 2, '1': 3 }, '{"1":3,"10":1,"9":2}'],
    ['the short escapes', '"\\\b\f\n\r\t', '"\\"\\\\\\b\\f\\n\\r\\t"'],
    ['a solidus', '/', '"/"'],
    ['the other control characters', '\0\u000b\u001f\u007f', '"\\u0000\\u000b\\u001f\\u007f"'],
    ['characters outside ASCII, in lower case', 'é中\u2028\uFEFF', '"\\u00e9\\u4e2d\\u2028\\ufeff"'],
    ['a pair of surrogates', '😀', '"\\ud83d\\ude00"'],
    ['lone surrogates', '\ude00x\ud83d', '"\\ude00x\\ud83d"'],
  ])('writes %s', (_name, value, json) => {
    expect(canonicalJson(value)).toBe(json)
  })

  it('writes a key __proto__ like any other', () => {
    const value = JSON.parse('{"a":1,"__proto__":{"b":2},"constructor":3}') as CanonicalValue
    expect(canonicalJson(value)).toBe('{"__proto__":{"b":2},"a":1,"constructor":3}')
  })

  it('agrees with a plain implementation on any value', () => {
    fc.assert(fc.property(anyValue, value => canonicalJson(value) === writePlainly(value)))
  })

  it('is read back by JSON.parse as the same value', () => {
    fc.assert(
      fc.property(fc.array(anyText), texts => {
        expect(JSON.parse(canonicalJson(texts))).toEqual(texts)
      }),
    )
  })

  it('does not depend on the order in which keys were set', () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyText), keys => {
        const record = (names: readonly string[]): CanonicalValue => Object.fromEntries(names.map(key => [key, key]))
        return canonicalJson(record(keys)) === canonicalJson(record(keys.toReversed()))
      }),
    )
  })

  const borders = [PIECE_UNITS, 2 * PIECE_UNITS, PART_UNITS, 2 * PART_UNITS]
  it.each(borders)('writes texts of about %i units as a plain implementation does', border => {
    for (const filler of ['a', 'é', '"', '😀']) {
      for (const shift of [-2, -1, 0, 1]) {
        const text = `${filler.repeat((border + shift) / filler.length)}😀\ude00\ud83dé"\\z`
        // Not compared by `toBe`: a difference of texts this long says nothing.
        expect(canonicalJson(text) === writePlainly(text), JSON.stringify([filler, shift])).toBe(true)
      }
    }
  })

  it('writes any text that is longer than its pieces as a plain implementation does', () => {
    const length = fc.integer({ min: PIECE_UNITS - 4, max: PART_UNITS + 4 })
    fc.assert(
      fc.property(anyText, anyText, length, (start, seed, units) => {
        const text = start + (seed || '😀').repeat(Math.ceil(units / (seed.length || 2)))
        return canonicalJson(text) === writePlainly(text) && canonicalJson([text, { [text]: 1 }]).length > units
      }),
      { numRuns: 30 },
    )
  })
})

describe('canonicalId', () => {
  it('is the lower-case hex SHA-256 of the canonical JSON', () => {
    expect(canonicalId('')).toBe('12ae32cb1ec02d01eda3581b127c1fee3b0dc53572ed6baf239721a03d82e126')
    fc.assert(fc.property(anyValue, value => canonicalId(value) === hash(writePlainly(value))))
  })

  it('is the same for texts that are hashed in many parts', () => {
    const value = { long: '😀é"a'.repeat(PART_UNITS), list: Array.from({ length: 50_000 }, (_, index) => index) }
    expect(canonicalId(value)).toBe(hash(writePlainly(value)))
  })
})

const { tree: anyValue } = fc.letrec<{ tree: CanonicalValue }>(tie => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    anyText,
    fc.maxSafeInteger(),
    fc.array(tie('tree')),
    fc.array(fc.tuple(anyText, tie('tree'))).map(entries => Object.fromEntries(entries)),
  ),
}))

function writePlainly(value: CanonicalValue): string {
  if (typeof value === 'number') return `${value}`
  if (typeof value === 'string') return `"${value.split('').map(escapeUnit).join('')}"`
  if (Array.isArray(value)) return `[${value.map(writePlainly).join(',')}]`
  const members = Object.entries(value).map(([key, member]) => ({
    key,
    text: `${writePlainly(key)}:${writePlainly(member)}`,
  }))
  members.sort((left, right) => (toSortable(left.key) < toSortable(right.key) ? -1 : 1))
  return `{${members.map(member => member.text).join(',')}}`
}

const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

function escapeUnit(unit: string): string {
  const isPrintable = unit >= ' ' && unit <= '~'
  return SHORT[unit] ?? (isPrintable ? unit : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** A text whose order by UTF-16 unit is the order of the code points of `text`. */
function toSortable(text: string): string {
  return [...text].map(character => (character.codePointAt(0) ?? 0).toString(16).padStart(6, '0')).join('')
}

function hash(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex')
}
