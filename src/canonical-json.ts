import { createHash } from 'node:crypto'

import { compareCodePoints } from './unicode.js'

/** What an id can be made of: safe integers, strings, lists and records of them. */
export type CanonicalValue = string | number | readonly CanonicalValue[] | { readonly [key: string]: CanonicalValue }

/** The longest piece of a string that is escaped at once; bounds the memory that a huge content needs on its way. */
const PIECE_UNITS = 16_384
/** Text is handed on in parts of about this many characters: few calls, no string of the whole. */
const PART_UNITS = 65_536
const NEEDS_ESCAPE = /[^\x20-\x7e]/
const HEX = '0123456789abcdef'

/**
 * The canonical JSON of a value in parts, in order: keys sorted by code point, no white space, every character outside
 * printable ASCII written `\uxxxx` in UTF-16 units (lower case) except the short escapes. Each part is ASCII.
 */
function writeCanonicalJson(value: CanonicalValue, write: (part: string) => void): void {
  let part = ''
  const emit = (text: string): void => {
    part += text
    if (part.length < PART_UNITS) return
    write(part)
    part = ''
  }
  writeValue(value, emit)
  write(part)
}

/** The canonical JSON of a value as one string, for a log line. */
export function canonicalJson(value: CanonicalValue): string {
  const parts: string[] = []
  writeCanonicalJson(value, part => parts.push(part))
  return parts.join('')
}

/** The lower-case hex SHA-256 of the canonical JSON of a value. This is what a checkpoint's and a receipt's id is. */
export function canonicalId(value: CanonicalValue): string {
  const hash = createHash('sha256')
  writeCanonicalJson(value, part => hash.update(part, 'latin1'))
  return hash.digest('hex')
}

function writeValue(value: CanonicalValue, emit: (text: string) => void): void {
  if (typeof value === 'string') writeString(value, emit)
  else if (typeof value === 'number') emit(String(value))
  else if (isList(value)) {
    emit('[')
    for (let index = 0; index < value.length; index += 1) {
      if (index > 0) emit(',')
      writeValue(value[index] as CanonicalValue, emit)
    }
    emit(']')
  } else {
    let separator = '{'
    for (const key of Object.keys(value).sort(compareCodePoints)) {
      emit(separator)
      writeString(key, emit)
      emit(':')
      writeValue(value[key] as CanonicalValue, emit)
      separator = ','
    }
    emit(separator === '{' ? '{}' : '}')
  }
}

// `Array.isArray` does not narrow a readonly array.
function isList(value: object): value is readonly CanonicalValue[] {
  return Array.isArray(value)
}

function writeString(text: string, emit: (text: string) => void): void {
  if (text.length <= PIECE_UNITS) {
    emit(toAscii(JSON.stringify(text)))
    return
  }
  emit('"')
  // A pair of surrogates may be cut here: both halves are written as escapes, so the bytes are the same.
  for (let start = 0; start < text.length; start += PIECE_UNITS) {
    emit(toAscii(JSON.stringify(text.slice(start, start + PIECE_UNITS)).slice(1, -1)))
  }
  emit('"')
}

// `JSON.stringify` has already escaped quotes, backslashes, control characters and lone surrogates, in lower case.
function toAscii(json: string): string {
  if (!NEEDS_ESCAPE.test(json)) return json
  const bytes = Buffer.allocUnsafe(json.length * 6)
  let length = 0
  for (let index = 0; index < json.length; index += 1) {
    const unit = json.charCodeAt(index)
    if (unit >= 0x20 && unit <= 0x7e) bytes[length++] = unit
    else {
      bytes[length++] = 0x5c
      bytes[length++] = 0x75
      bytes[length++] = HEX.charCodeAt(unit >> 12)
      bytes[length++] = HEX.charCodeAt((unit >> 8) & 15)
      bytes[length++] = HEX.charCodeAt((unit >> 4) & 15)
      bytes[length++] = HEX.charCodeAt(unit & 15)
    }
  }
  return bytes.toString('latin1', 0, length)
}
