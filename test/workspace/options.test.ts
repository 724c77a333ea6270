import { Workspace } from 'safepoint'
import { describe, expect, test } from 'vitest'

import { createTempDir } from '../helpers/temp-dir.js'

describe('a workspace', () => {
  test.for<unknown>([null, 7, 'options'])('refuses options that are %s', async options => {
    const root = await createTempDir()
    expect(() => new Workspace({ root }, options as never)).toThrow(expect.objectContaining({ code: 'invalid_option' }))
  })

  test.for<unknown>([null, {}, 'stop'])('refuses a signal that is %s', async signal => {
    const workspace = new Workspace({ root: await createTempDir() })
    const action = { kind: 'tool', tool: 'list_files', arguments: {} } as const
    await expect(workspace.execute(action, signal as never)).rejects.toMatchObject({ code: 'invalid_option' })
  })

  test('refuses a path that is longer than any, without looking through it', async () => {
    const workspace = new Workspace({ root: await createTempDir() })
    await expect(workspace.readFile('x/'.repeat(25_000_000))).rejects.toMatchObject({ code: 'path_refused' })
    await expect(workspace.readFile(`${'./'.repeat(2_048)}a`)).rejects.toMatchObject({ code: 'path_refused' })
    await expect(workspace.readFile(`${'./'.repeat(2_047)}a`)).rejects.toMatchObject({ code: 'file_refused' })
  })
})
