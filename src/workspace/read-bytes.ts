import { type BigIntStats, constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

import { AgentError, describeValue } from '../errors.js'
import { withIoFaults } from './io-fault.js'
import { isSameFile, type Place } from './workspace-root.js'

/** The content of a file, with what stood there when it was opened. */
export interface FileContent {
  readonly bytes: Buffer
  readonly stats: BigIntStats
}

const CHUNK_BYTES = 65_536
// A pipe that nobody writes to would hold up a plain open for ever.
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/**
 * The bytes of a regular file, never more than `limit` of them, whatever size it claims or grows to.
 *
 * @throws AgentError: `file_refused` when it is missing, no regular file or too large; `path_refused` when it was
 * exchanged since the place was looked up; `io_failed`.
 */
export async function readBytes({ path, absolute, stats }: Place, limit: number): Promise<FileContent> {
  const name = describeValue(path.relative)
  if (!stats) throw new AgentError('file_refused', `the file ${name} does not exist; list_files shows what does`)
  requireRegular(stats, name)
  return withIoFaults('read', path.relative, async () => {
    const handle = await open(absolute, OPEN_FLAGS)
    try {
      const opened = await handle.stat({ bigint: true })
      requireRegular(opened, name)
      if (!isSameFile(opened, stats)) {
        throw new AgentError('path_refused', `${name} was exchanged while it was opened; try again`)
      }
      const bytes = opened.size > BigInt(limit) ? undefined : await readUpTo(handle, limit)
      if (bytes) return { bytes, stats: opened }
      throw new AgentError('file_refused', `the file ${name} is larger than the limit of ${limit} bytes`)
    } finally {
      await handle.close()
    }
  })
}

/**
 * The text of a file, byte-order mark and line ends included.
 *
 * @throws AgentError (`file_refused`) when the bytes are not valid UTF-8.
 */
export function decodeText(bytes: Uint8Array, relative: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new AgentError('file_refused', `the file ${describeValue(relative)} is not valid UTF-8 text`, { cause })
  }
}

function requireRegular(stats: BigIntStats, name: string): void {
  if (stats.isFile()) return
  const fault = stats.isDirectory() ? 'is a directory; list_files shows what is in it' : 'is not a regular file'
  throw new AgentError('file_refused', `${name} ${fault}`)
}

async function readUpTo(handle: FileHandle, limit: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let total = 0
  while (total <= limit) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, limit + 1 - total))
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, null)
    if (bytesRead === 0) return Buffer.concat(chunks, total)
    chunks.push(chunk.subarray(0, bytesRead))
    total += bytesRead
  }
  return undefined
}
