import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** The absolute path, free of links, of a new empty directory that is gone after the test. */
export async function createTempDir(): Promise<string> {
  const directory = await mkdtemp(join(await realpath(tmpdir()), 'safepoint-test-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}
