import { describe, expect, test } from 'vitest'

import { AppendOnlyList } from '../../src/machine/append-only-list.js'

describe('an append-only list', () => {
  test('grows at its end and leaves the shorter one as it was', () => {
    const short = AppendOnlyList.of(['a'])
    const long = short.append('b', 'c')
    expect([short.length, short.last(), short.toArray()]).toEqual([1, 'a', ['a']])
    expect([long.length, long.last(), long.toArray()]).toEqual([3, 'c', ['a', 'b', 'c']])
  })

  test('goes on in two directions from one place, each without the other', () => {
    const base = AppendOnlyList.of([1]).append(2)
    const left = base.append(3)
    const right = base.append(4)
    expect([base, left, right].map(list => list.toArray())).toEqual([
      [1, 2],
      [1, 2, 3],
      [1, 2, 4],
    ])
  })

  test('hands out frozen arrays that later appends do not change, and tails of them', () => {
    const list = AppendOnlyList.of([1, 2])
    const array = list.toArray()
    const longer = list.append(3)
    expect(Object.isFrozen(array)).toBe(true)
    expect(Object.isFrozen(longer.toArray())).toBe(true)
    expect(array).toEqual([1, 2])
    expect([longer.tail(1), list.tail(1), list.tail(2)]).toEqual([[2, 3], [2], []])
  })

  test('that is empty has no last item', () => {
    expect([AppendOnlyList.of([]).last(), AppendOnlyList.of([]).toArray()]).toEqual([undefined, []])
  })
})
