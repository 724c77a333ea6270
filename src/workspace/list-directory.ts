import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { AgentError, describeValue } from '../errors.js'
import { compareCodePoints } from '../unicode.js'
import { withIoFaults } from './io-fault.js'
import { childPath, isProtectedName, isTemporaryName } from './paths.js'
import { isSameFile, lookAt, type WorkspaceRoot } from './workspace-root.js'

/**
 * The first `limit` entries of one directory, sorted by code point, as `file PATH` and `dir PATH` lines. Left out:
 * protected names, links, anything but files and directories, the receipt log, and names that are not UTF-8, since no
 * request could name them.
 *
 * @throws AgentError: `path_refused`, `file_refused` when it is missing or no directory, `io_failed`.
 */
export async function listDirectory(root: WorkspaceRoot, text: string, limit: number): Promise<string> {
  const { path, absolute, stats } = await root.locate(text)
  const name = describeValue(path.relative)
  if (!stats) {
    const wayOut = path.names.length === 0 ? 'the workspace is gone' : 'list its parent to see what does'
    throw new AgentError('file_refused', `the directory ${name} does not exist; ${wayOut}`)
  }
  if (!stats.isDirectory()) throw new AgentError('file_refused', `${name} is not a directory; read_file shows a file`)
  const entries = await withIoFaults('list', path.relative, async () => {
    const found = await readdir(absolute, { withFileTypes: true, encoding: 'buffer' })
    const now = await lookAt(absolute)
    if (now && isSameFile(now, stats)) return found
    throw new AgentError('path_refused', `${name} was exchanged while it was listed; list it again`)
  })
  const shown = entries
    .flatMap(entry => toNamed(entry))
    .filter(entry => !isHidden(entry.name) && !root.isReceiptLog(join(absolute, entry.name)))
    .sort((left, right) => compareCodePoints(left.name, right.name))
    .slice(0, limit)
  if (shown.length === 0) return '(empty directory)'
  return shown.map(entry => `${entry.kind} ${childPath(path, entry.name)}`).join('\n')
}

interface NamedEntry {
  readonly kind: 'file' | 'dir'
  readonly name: string
}

function toNamed(entry: Dirent<Buffer>): NamedEntry[] {
  const name = entry.name.toString('utf8')
  if (!Buffer.from(name).equals(entry.name)) return []
  if (entry.isFile()) return [{ kind: 'file', name }]
  return entry.isDirectory() ? [{ kind: 'dir', name }] : []
}

function isHidden(name: string): boolean {
  return isProtectedName(name) || isTemporaryName(name)
}
