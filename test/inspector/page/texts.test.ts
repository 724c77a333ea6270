import { describe, expect, it } from 'vitest'
import { isLeftOf, toPath } from '../../../inspector/page/machine/path.js'
import { wrapText } from '../../../inspector/page/machine/wrap-text.js'
import { toBars } from '../../../inspector/page/model/bars.js'
import { countDiff, readDiff } from '../../../inspector/page/model/diff-lines.js'
import { fold, toObservation } from '../../../inspector/page/model/fold.js'
import { formatDuration, formatEvent, shortId } from '../../../inspector/page/model/format.js'
import { toStatePaths } from '../../../inspector/page/model/state-path.js'
import { uncut } from './record-run.js'

describe('folding', () => {
  it('leaves a short text as it is', () => {
    expect(fold(uncut('edited app.js'))).toEqual({ head: 'edited app.js', isFolded: false, cut: null })
  })

  it('shows the first lines of many, and the first characters of a long line', () => {
    expect(fold(uncut('line\n'.repeat(50))).head.split('\n')).toHaveLength(8)
    expect(fold(uncut('x'.repeat(5000))).head).toHaveLength(480)
  })

  it('cuts no character in two', () => {
    expect(fold(uncut(`x${'😀'.repeat(600)}`)).head).toMatch(/^x(😀)+$/u)
  })

  it('says how long a text was that did not come whole', () => {
    expect(fold({ text: 'the beginning', length: 20_000_000 }).cut).toBe(20_000_000)
    expect(fold(uncut('😀😀😀')).cut).toBeNull()
    expect(fold({ text: '😀😀😀', length: 4 }).cut).toBe(4)
  })

  it('leaves out the words that every observation begins with', () => {
    expect(toObservation(uncut('Tool result:\nstatus: 0'))).toEqual(uncut('status: 0'))
    expect(toObservation(uncut('said by hand'))).toEqual(uncut('said by hand'))
  })
})

describe('a diff', () => {
  it('is read line by line, without its head', () => {
    const lines = readDiff('--- a.js\n+++ a.js\n@@ -1 +1 @@\n-old\n+new\n same\n')
    expect(lines.map(({ kind }) => kind)).toEqual(['hunk', 'removed', 'added', 'context'])
    expect(countDiff(lines)).toEqual({ added: 1, removed: 1 })
  })
})

describe('formats', () => {
  it.each([
    [0, '0 ms'],
    [0.36, '0.4 ms'],
    [212.4, '212 ms'],
    [1240, '1.24 s'],
    [185_000, '3m 05s'],
  ])('%d ms is %s', (milliseconds, text) => expect(formatDuration(milliseconds)).toBe(text))

  it.each([
    ['xstate.done.actor.callModel', 'callModel done'],
    ['xstate.error.actor.callModel', 'callModel failed'],
    ['xstate.init', 'init'],
    ['resume', 'resume'],
  ])('%s is %s', (type, text) => expect(formatEvent(type)).toBe(text))

  it('an id is shown by its ends', () => expect(shortId('4f1c00000000009ae2')).toBe('4f1c…9ae2'))
})

describe('the chart’s drawing', () => {
  it('names states by their paths', () => {
    expect(toStatePaths({ a: { b: 'c' }, d: 'e' })).toEqual(['a', 'a.b', 'a.b.c', 'd', 'd.e'])
    expect(toStatePaths(undefined)).toEqual([])
  })

  it('rounds the corners of a line', () => {
    expect(
      toPath([
        { x: 0, y: 0 },
        { x: 0, y: 20 },
        { x: 20, y: 20 },
      ]),
    ).toBe('M0 0L0 13Q0 20 7 20L20 20')
    expect(toPath([])).toBe('')
  })

  it('knows on which side of a line its label stands', () => {
    const line = [
      { x: 50, y: 0 },
      { x: 50, y: 100 },
    ]
    expect(isLeftOf({ x: 10, y: 40, width: 30, height: 10 }, line)).toBe(true)
    expect(isLeftOf({ x: 60, y: 40, width: 30, height: 10 }, line)).toBe(false)
  })

  it('wraps a text, and says when there is more', () => {
    expect(wrapText('the observation is not appended yet', 24, 2)).toEqual(['the observation is not', 'appended yet'])
    expect(wrapText('one two three four', 5, 2)).toEqual(['one', 'two…'])
  })

  it('draws many numbers as few bars', () => {
    expect(toBars(Array.from({ length: 10_000 }, (_, index) => index))).toHaveLength(64)
    expect(toBars([0, 25, 100])).toEqual([0, 0.5, 1])
  })
})
