import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { Follower } from '../../inspector/server/stream/follower.js'
import { RunStream, type StreamedEvent } from '../../inspector/server/stream/run-stream.js'
import { countCodePoints, cutText } from '../../inspector/server/wire/cut-text.js'
import type { WireEvent } from '../../inspector/wire.js'
import { anyText } from '../helpers/texts.js'

const actor = (sessionId: string): StreamedEvent =>
  ({ type: '@xstate.actor', name: sessionId, sessionId, snapshot: {} }) as unknown as StreamedEvent
const event = (text: string): StreamedEvent => ({ type: '@xstate.event', sessionId: 'x:1', event: { type: text } })

const parse = (lines: Iterable<string>): WireEvent[] => [...lines].map(line => JSON.parse(line) as WireEvent)

describe('the stream', () => {
  test('numbers its events from 0, and their times never go back', () => {
    const stream = new RunStream()
    for (let count = 0; count < 50; count += 1) stream.append(event('a'))
    const events = parse(stream.lines())
    expect(events.map(({ index }) => index)).toEqual(Array.from({ length: 50 }, (_, index) => index))
    expect(events[0]?.at).toBe(0)
    expect(events.map(({ at }) => at)).toEqual(events.map(({ at }) => at).sort((a, b) => a - b))
  })

  test('is bounded: the oldest events go, the session and the newest agent stay, and each gap is told', () => {
    const stream = new RunStream(20_000)
    stream.append(actor('session'))
    stream.append(actor('x:1'))
    for (let count = 0; count < 300; count += 1) stream.append(event('a'.repeat(50)))
    stream.append(actor('x:2'))
    for (let count = 0; count < 300; count += 1) stream.append(event('b'.repeat(50)))
    const lines = [...stream.lines()]
    expect(lines.join('').length).toBeLessThan(21_000)
    const events = parse(lines)
    expect(events.slice(0, 2).map(({ index, sessionId }) => [index, sessionId])).toEqual([
      [0, 'session'],
      [302, 'x:2'],
    ])
    // Nothing is missing that is not counted.
    const counted = events.reduce((sum, { omitted = 0 }) => sum + omitted + 1, 0)
    expect(counted).toBe(603)
    expect(events.at(-1)?.index).toBe(602)
  })
})

describe('a follower', () => {
  test('gives a sink that takes nothing no more than it can hold, and the rest when it takes again', async () => {
    const stream = new RunStream()
    for (let count = 0; count < 200; count += 1) stream.append(event('a'))
    const taken: string[] = []
    let waiting: (() => void)[] = []
    const follower = new Follower(stream, {
      write: (line, onTaken) => {
        taken.push(line)
        waiting.push(onTaken)
      },
      isFull: () => waiting.length >= 10,
    })
    await new Promise(resolve => setTimeout(resolve, 50))
    expect(taken).toHaveLength(10)
    for (let round = 0; round < 200 && taken.length < 200; round += 1) {
      const settled = waiting
      waiting = []
      for (const onTaken of settled) onTaken()
      await new Promise(resolve => setTimeout(resolve, 6))
    }
    expect(parse(taken).map(({ index }) => index)).toEqual(Array.from({ length: 200 }, (_, index) => index))
    await follower.caughtUp()
    follower.stop()
  })

  test('that falls behind what is kept is told how much it has missed', async () => {
    const stream = new RunStream(5_000)
    stream.append(actor('session'))
    const taken: string[] = []
    let isFull = false
    let take = (): void => undefined
    const follower = new Follower(stream, {
      write: (line, onTaken) => {
        taken.push(line)
        isFull = true
        take = onTaken
      },
      isFull: () => isFull,
    })
    await new Promise(resolve => setTimeout(resolve, 20))
    for (let count = 0; count < 500; count += 1) stream.append(event('a'))
    isFull = false
    take()
    await new Promise(resolve => setTimeout(resolve, 20))
    follower.stop()
    const [, next] = parse(taken)
    expect(next?.omitted).toBe((next?.index ?? 0) - 1)
    expect(next?.omitted).toBeGreaterThan(300)
  })
})

describe('a text that is cut', () => {
  test('has the first code points, whole ones, and the length of all', () => {
    fc.assert(
      fc.property(anyText, fc.nat(40), (text, limit) => {
        const points = Array.from(text)
        expect(countCodePoints(text)).toBe(points.length)
        expect(cutText(text, limit)).toEqual({ text: points.slice(0, limit).join(''), length: points.length })
      }),
    )
  })
})
