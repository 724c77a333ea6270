import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'

/** What stands in a file: its text, nothing (there is no such file), or why it cannot be shown. */
export type FileText = { readonly text: string } | { readonly missing: true } | { readonly unreadable: string }

/** The largest file that is compared. */
const MOST_BYTES = 512_000

/**
 * Reads a file under a directory to show what changed in it. It follows no link, leaves the directory by no path, and
 * does not wait for a pipe. Never rejects.
 */
export async function readTextFile(root: string, path: string): Promise<FileText> {
  try {
    const directory = await realpath(root)
    const file = resolve(directory, path)
    const parent = await realpath(dirname(file))
    if (parent !== directory && !parent.startsWith(directory + sep)) return { unreadable: 'it is outside the root' }
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
    const handle = await open(join(parent, basename(file)), flags)
    try {
      const stats = await handle.stat()
      if (!stats.isFile()) return { unreadable: 'it is not a regular file' }
      if (stats.size > MOST_BYTES) return { unreadable: `it has ${stats.size} bytes` }
      return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await handle.readFile()) }
    } finally {
      await handle.close()
    }
  } catch (thrown) {
    const { code } = (thrown ?? {}) as NodeJS.ErrnoException
    if (code === 'ENOENT') return { missing: true }
    return { unreadable: code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'it is not UTF-8' : 'it cannot be read' }
  }
}
