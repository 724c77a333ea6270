import fc from 'fast-check'
import { ReceiptStore, Workspace } from 'safepoint'
import { describe, expect, test } from 'vitest'

import { type Finding, findOnce } from '../../src/workspace/find-once.js'
import { createTempDir } from '../helpers/temp-dir.js'

/** The same by the search that comes with strings. */
function findPlainly(text: string, wanted: string): Finding {
  const start = text.indexOf(wanted)
  if (start < 0) return 'absent'
  return text.indexOf(wanted, start + 1) < 0 ? { start } : 'repeated'
}

describe('the place of a text to replace', () => {
  test('is found as the search of strings finds it, overlaps included', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '😀'), maxLength: 40 })
    const wanted = fc.string({ unit: fc.constantFrom('a', 'b', '😀'), minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(letters, wanted, (text, part) => {
        expect(findOnce(text, part)).toEqual(findPlainly(text, part))
      }),
      { numRuns: 2_000 },
    )
  })

  test('is looked for in linear time: a text that nearly matches everywhere is refused at once', async () => {
    const limit = 4_000_000
    const policy = { root: await createTempDir(), allowWrites: true, maxFileBytes: limit, maxWriteBytes: limit }
    const workspace = new Workspace(policy, { confirmTool: () => true, receipts: ReceiptStore.inMemory() })
    await workspace.writeFile('a.txt', 'a'.repeat(3_000_000))
    const part = 'a'.repeat(10_000)
    // By the product of the lengths this is some ten seconds; the timeout of the test is what would tell.
    for (let round = 0; round < 3; round += 1) {
      await expect(workspace.editFile('a.txt', `${part}b${part}`, '')).rejects.toMatchObject({ code: 'edit_refused' })
    }
  })
})
