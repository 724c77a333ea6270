import { describe, expect, it } from 'vitest'
import type { SessionContext } from '../../../inspector/page/model/entry.js'
import { gatherEvidence } from '../../../inspector/page/model/evidence.js'
import type { Tally, WireReceipt } from '../../../inspector/wire.js'
import { SessionScript } from './session-script.js'

const MODEL = {
  conversationPosition: 2,
  responseIndex: 1,
  cachedTokenIds: [1, 2],
  cachedTokenCount: 2,
  layerOffsets: [2],
}
const RESTORED = { model: MODEL, prefixMatches: true }

function receipt(number: number, id = `receipt-${number}`): WireReceipt {
  const result = { text: 'done', length: 4 }
  return { receiptId: id, toolCallId: `call-${number}`, tool: 'run_command', exitState: 'ok', result }
}

function tally(receipts: readonly WireReceipt[], count = receipts.length): Tally {
  return { approvals: count, receipts, receiptCount: count, executions: { run_command: count } }
}

function judge(change: Partial<SessionContext>) {
  return gatherEvidence({ ...new SessionScript().context, ...change })
}

describe('the evidence', () => {
  it('has nothing to compare before the boundary', () => {
    const { rows, verdict } = judge({ now: tally([receipt(1)]) })
    expect(verdict.state).toBe('none')
    expect(rows.map(({ name, before, now }) => [name, before, now])).toEqual([
      ['approvals', '1', null],
      ['receipts', '1', null],
      ['run_command called', '1×', null],
    ])
  })

  it('stands at the boundary, and holds after the resume', () => {
    const counted = tally([receipt(1), receipt(2)])
    expect(judge({ atBoundary: counted, now: counted }).verdict.state).toBe('saved')
    const { rows, verdict } = judge({ atBoundary: counted, now: counted, restored: RESTORED })
    expect(verdict.state).toBe('holds')
    expect(rows.map(({ state }) => state)).toEqual(['same', 'same', 'same'])
  })

  it('holds when new effects come after the recorded ones, and shows them as new', () => {
    const now = tally([receipt(1), receipt(2)])
    const { rows, verdict } = judge({ atBoundary: tally([receipt(1)]), now, restored: RESTORED })
    expect(verdict.state).toBe('holds')
    expect(rows.map(({ state }) => state)).toEqual(['new', 'new', 'new'])
  })

  it.each([
    ['is gone', [receipt(2)]],
    ['has another content', [receipt(1, 'other')]],
    ['is there twice', [receipt(1), receipt(1, 'again')]],
  ])('is broken when a recorded effect %s', (_, receipts) => {
    const { verdict } = judge({ atBoundary: tally([receipt(1)]), now: tally(receipts), restored: RESTORED })
    expect(verdict.state).toBe('broken')
  })

  it('holds when of very many receipts only the newest were sent', () => {
    const all = Array.from({ length: 40 }, (_, index) => receipt(index + 1))
    const change = { atBoundary: tally(all.slice(0, 32), 32), now: tally(all.slice(8), 40), restored: RESTORED }
    expect(judge(change).verdict.state).toBe('holds')
  })
})
