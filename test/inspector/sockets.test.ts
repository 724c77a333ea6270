import { once } from 'node:events'

import { describe, expect, test, vi } from 'vitest'

import { inspect, openPage } from './helpers/inspected.js'

describe('the control socket', () => {
  test.for<[string, string | Buffer]>([
    ['no JSON', 'pause'],
    ['half of it', '{"type":"pause"'],
    ['another type', '{"type":"explode"}'],
    ['no type', '{}'],
    ['a list', '[{"type":"pause"}]'],
    ['null', 'null'],
    ['a field too much', '{"type":"pause","extra":1}'],
    ['a prototype', '{"type":"pause","__proto__":{"x":1}}'],
    ['an approval without a number', '{"type":"approve"}'],
    ['an approval of everything', '{"type":"approve","id":"*"}'],
    ['an approval of half an effect', '{"type":"approve","id":0.5}'],
    ['a reason that is no text', '{"type":"deny","id":1,"reason":{}}'],
    ['a reason that is too long', JSON.stringify({ type: 'deny', id: 1, reason: 'x'.repeat(1_001) })],
    ['a thousand brackets', '['.repeat(1_000)],
    ['bytes', Buffer.from('{"type":"abort"}')],
  ])('drops %s with a line in the log, and the run goes on', async ([, message]) => {
    const { page, log } = await inspect()
    await page.phase('paused')
    page.sockets[1].send(message, { binary: Buffer.isBuffer(message) })
    await vi.waitFor(() => expect(log).toEqual(['A control message was dropped: it is none of the known ones.']))
    page.control({ type: 'step' })
    await page.until(({ value, context }) => value === 'paused' && context.now.executions.list_files === 1)
  })

  test('is closed by a message of more than 4 kB, and the run does not feel it', async () => {
    const { page, inspection } = await inspect()
    await page.phase('paused')
    const closed = once(page.sockets[1], 'close')
    page.sockets[1].send(`{"type":"deny","id":1,"reason":"${'x'.repeat(5_000)}"}`)
    expect((await closed)[0]).toBe(1009)
    const second = await openPage(inspection.url)
    expect((await second.phase('paused')).value).toBe('paused')
  })

  test('takes twenty messages at once and no flood: the rest is dropped, and then the socket is closed', async () => {
    const { page, log } = await inspect()
    await page.phase('paused')
    const closed = once(page.sockets[1], 'close')
    for (let count = 0; count < 2_000; count += 1) page.control({ type: count % 2 === 0 ? 'continue' : 'pause' })
    expect((await closed)[0]).toBe(1008)
    expect(log.length).toBeLessThan(40)
    expect(log).toContain('A control message was dropped: there were too many.')
    const moves = page.events.filter(event => event.type === '@xstate.snapshot' && event.event.type === 'gate.moved')
    expect(moves.length).toBeLessThan(40)
  })
})

describe('the socket of the events', () => {
  test('takes no orders: whatever a page sends there is dropped', async () => {
    const { page, log } = await inspect()
    await page.phase('paused')
    for (const type of ['continue', 'abort', 'step']) page.sockets[0].send(JSON.stringify({ type }))
    await new Promise(resolve => setTimeout(resolve, 100))
    expect([page.session?.value, log]).toEqual(['paused', []])
  })

  test('is closed by a flood', async () => {
    const { page } = await inspect()
    const closed = once(page.sockets[0], 'close')
    for (let count = 0; count < 2_000; count += 1) page.sockets[0].send('x')
    expect((await closed)[0]).toBe(1008)
  })
})

describe('the two sockets of a page', () => {
  test.for([0, 1] as const)('end together: when one goes (%i), the other is ended', async index => {
    const { page } = await inspect()
    const closed = once(page.sockets[1 - index] as (typeof page.sockets)[0], 'close')
    page.sockets[index].terminate()
    expect((await closed)[0]).toBe(1006)
  })

  test('of another page stay', async () => {
    const { page, inspection } = await inspect()
    const second = await openPage(inspection.url)
    const closed = once(page.sockets[1], 'close')
    page.sockets[0].terminate()
    await closed
    expect(second.sockets.map(socket => socket.readyState)).toEqual([1, 1])
  })

  test('are ended when the page has vanished: it does not answer a ping any more', async () => {
    const { inspection } = await inspect({}, { heartbeat: 50 })
    const page = await openPage(inspection.url)
    const closed = once(page.sockets[1], 'close')
    for (const socket of page.sockets) socket.pause()
    await new Promise(resolve => setTimeout(resolve, 200))
    for (const socket of page.sockets) socket.resume()
    expect((await closed)[0]).toBe(1006)
  })
})

describe('a page that comes late, or comes back', () => {
  test('gets the whole run so far, event for event, and then what comes', async () => {
    const { page, inspection } = await inspect({}, { startPaused: false, confirmTool: () => true })
    await page.phase('boundary')
    const late = await openPage(inspection.url)
    await late.phase('boundary')
    expect(late.events).toEqual(page.events)
    expect(late.events.map(event => event.index)).toEqual(late.events.map((_, index) => index))
    late.control({ type: 'resume' })
    await Promise.all([late.phase('completed'), page.phase('completed')])
    expect(late.events).toEqual(page.events)
  })

  test('finds each state once, in the order in which the machine entered them, eventless ones included', async () => {
    const { page } = await inspect({}, { startPaused: false, confirmTool: () => true, autoResume: true })
    await page.phase('completed')
    const states = page.events.flatMap(event =>
      event.type === '@xstate.snapshot' && event.sessionId !== 'session' ? [event.snapshot.value] : [],
    )
    const step = ['executeTool', 'appendObservation', { maybeCheckpoint: 'boundary' }, 'awaitModel']
    const first = ['awaitModel', ...step, ...step, ...step.slice(0, 3), { maybeCheckpoint: 'saving' }, 'done']
    expect(states).toEqual([...first, { maybeCheckpoint: 'restored' }, 'awaitModel', 'done'])
  })

  test('finds the definition that the machine sent, with its layout, for the start and for the resume', async () => {
    const { page } = await inspect({}, { startPaused: false, confirmTool: () => true, autoResume: true })
    await page.phase('completed')
    const agents = page.events.flatMap(event =>
      event.type === '@xstate.actor' && event.name === 'agent' ? [event] : [],
    )
    expect(agents).toHaveLength(2)
    for (const { definition, layout } of agents) {
      expect(Object.keys((JSON.parse(String(definition)) as { states: object }).states)).toContain('maybeCheckpoint')
      expect(layout?.states.map(state => state.id)).toContain('maybeCheckpoint.boundary')
    }
    expect(agents.map(({ snapshot }) => snapshot.value)).toEqual(['awaitModel', { maybeCheckpoint: 'restored' }])
  })
})
