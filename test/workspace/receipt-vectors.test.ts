import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createReceipt, type EffectReceipt, ReceiptStore } from 'safepoint'
import { describe, expect, it } from 'vitest'
import { createTempDir } from '../helpers/temp-dir.js'
import { loadVectors } from '../helpers/vectors.js'

interface RecordVector {
  readonly tool_call_id: string
  readonly tool: EffectReceipt['tool']
  readonly arguments: EffectReceipt['arguments']
  readonly exit_state: EffectReceipt['exitState']
  readonly result: string
  readonly changed_artifacts: readonly string[]
}

interface ReceiptVector {
  readonly kind: 'receipt'
  readonly name: string
  readonly fields: RecordVector
  readonly receipt_id: string
  readonly line: string
}

interface LogVector {
  readonly kind: 'log'
  readonly name: string
  readonly base64: string
  readonly verdict: 'accept' | 'refuse'
  readonly receipts?: readonly (RecordVector & { readonly receipt_id: string })[]
  readonly line?: number
  readonly torn?: true
}

const vectors = loadVectors<ReceiptVector | LogVector>('receipts')

describe('the receipts of receipts.json', () => {
  const cases = vectors.filter(vector => vector.kind === 'receipt').map(vector => [vector.name, vector] as const)

  it.each(cases)('%s', async (_, vector) => {
    const file = join(await createTempDir(), 'receipts.jsonl')
    const receipt = createReceipt(fromVector(vector.fields))
    await (await ReceiptStore.open(file)).put(receipt)

    expect(receipt.receiptId).toBe(vector.receipt_id)
    const line = await readFile(file, 'latin1')
    expect(line).toMatch(/^[ -~]*\n$/)
    expect(JSON.parse(line)).toEqual(JSON.parse(vector.line))
    const reopened = await ReceiptStore.open(file)
    expect(reopened.all()).toEqual([receipt])
    expect(reopened.get(vector.fields.tool_call_id)).toEqual(receipt)
  })
})

describe('the logs of receipts.json', () => {
  const cases = vectors.filter(vector => vector.kind === 'log').map(vector => [vector.name, vector] as const)

  it.each(cases)('%s', async (_, vector) => {
    const file = join(await createTempDir(), 'receipts.jsonl')
    await writeFile(file, Buffer.from(vector.base64, 'base64'))
    const opening = ReceiptStore.open(file)

    if (vector.verdict === 'accept') {
      const expected = vector.receipts?.map(record => ({ ...fromVector(record), receiptId: record.receipt_id })) ?? []
      expect((await opening).all()).toEqual(expected)
    } else {
      const line = vector.line === undefined ? /line \d+/ : new RegExp(`line ${vector.line}\\b`)
      const message: unknown = vector.torn ? expect.stringMatching(/torn/) : expect.stringMatching(line)
      await expect(opening).rejects.toMatchObject({ code: 'receipt_log_damaged', message })
      await expect(opening).rejects.toThrow(line)
    }
  })
})

function fromVector(record: RecordVector): Omit<EffectReceipt, 'receiptId'> {
  return {
    toolCallId: record.tool_call_id,
    tool: record.tool,
    arguments: record.arguments,
    exitState: record.exit_state,
    result: record.result,
    changedArtifacts: record.changed_artifacts,
  }
}
