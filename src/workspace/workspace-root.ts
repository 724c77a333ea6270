import type { BigIntStats } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'

import { AgentError, describeValue } from '../errors.js'
import { systemCode, withIoFaults } from './io-fault.js'
import { parsePath, type WorkspacePath } from './paths.js'

/** A path that was looked up: no symbolic link led to it. */
export interface Place {
  readonly path: WorkspacePath
  readonly absolute: string
  /** What stands there, not followed; undefined when nothing does. */
  readonly stats: BigIntStats | undefined
}

/**
 * Looks up paths below the root. Every name on the way is looked at without following it. Node has no `openat`, so a
 * directory that is swapped for a link between the look and the use is beyond what can be refused.
 */
export class WorkspaceRoot {
  readonly #root: string
  readonly #receiptLog: string | undefined

  /** Both are absolute and free of links; the receipt log may lie anywhere and is refused if it lies inside. */
  constructor(root: string, receiptLog?: string) {
    this.#root = root
    this.#receiptLog = receiptLog
  }

  /**
   * Where a path leads. Its parent directories exist; the last name may be missing.
   *
   * @throws AgentError: `path_refused` (malformed, protected, a link on the way, the receipt log), `file_refused` (a
   * parent is missing or no directory), `io_failed`.
   */
  async locate(text: string): Promise<Place> {
    const path = parsePath(text)
    return withIoFaults('look up', path.relative, async () => {
      let absolute = this.#root
      let stats = await this.#look(absolute, '.')
      for (const [index, name] of path.names.entries()) {
        if (!stats?.isDirectory()) {
          const parent = describeValue(path.names.slice(0, index).join('/') || '.')
          const fault = stats === undefined ? 'does not exist' : 'is not a directory'
          throw new AgentError('file_refused', `${parent} ${fault}, so ${describeValue(path.relative)} cannot be there`)
        }
        absolute = join(absolute, name)
        stats = await this.#look(absolute, path.names.slice(0, index + 1).join('/'))
      }
      await this.#refuseReceiptLog(absolute, stats, path)
      return { path, absolute, stats }
    })
  }

  /** Whether an entry that a listing met is the receipt log. */
  isReceiptLog(absolute: string): boolean {
    return absolute === this.#receiptLog
  }

  async #look(absolute: string, relative: string): Promise<BigIntStats | undefined> {
    const stats = await lookAt(absolute)
    if (!stats?.isSymbolicLink()) return stats
    throw new AgentError('path_refused', `${describeValue(relative)} is a symbolic link; tools do not follow links`)
  }

  // The identity is compared, too: a hard link, or another case on a file system that ignores it, is another spelling.
  async #refuseReceiptLog(absolute: string, stats: BigIntStats | undefined, path: WorkspacePath): Promise<void> {
    if (this.#receiptLog === undefined) return
    const log = stats === undefined ? undefined : await lookAt(this.#receiptLog)
    if (absolute !== this.#receiptLog && !(stats && log && isSameFile(stats, log))) return
    throw new AgentError(
      'path_refused',
      `the path ${describeValue(path.relative)} is the receipt log; no tool may touch it`,
    )
  }
}

/** What stands at an absolute path, not followed; undefined when nothing does. */
export async function lookAt(absolute: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(absolute, { bigint: true })
  } catch (fault) {
    if (systemCode(fault) === 'ENOENT') return undefined
    throw fault
  }
}

/** Whether two looks met the same file. */
export function isSameFile(left: BigIntStats, right: BigIntStats): boolean {
  return left.dev === right.dev && left.ino === right.ino
}
