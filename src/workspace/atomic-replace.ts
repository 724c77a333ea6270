import { type BigIntStats, constants } from 'node:fs'
import { type FileHandle, link, open, rename, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { AgentError, describeValue } from '../errors.js'
import { systemCode, withIoFaults } from './io-fault.js'
import { createTemporaryName } from './paths.js'
import { isSameFile, lookAt } from './workspace-root.js'

/** A file that is to appear, or to be replaced as a whole. */
export interface Replacement {
  readonly absolute: string
  /** The path as the model knows it, for messages. */
  readonly relative: string
  readonly bytes: Uint8Array
  /** What was there when the bytes were last compared; undefined when nothing was. */
  readonly expected: BigIntStats | undefined
}

const CREATE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
const NO_HARD_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV'])

/**
 * Writes a file so that whoever looks sees the old content or the new one, never a part. The bytes go into a temporary
 * file beside it, which takes its name; no fault leaves that file behind. An existing file keeps its permission bits,
 * and its owner where the system allows it; a new one gets 0666 less the umask. Other hard links keep the old content.
 *
 * A new file never overwrites what appeared meanwhile. An existing one is compared once more right before the rename;
 * POSIX has no rename that compares, so a change within that instant is lost.
 *
 * @throws AgentError: `stale_file` when the file is no longer what was expected, `io_failed`.
 */
export async function replaceFile(replacement: Replacement): Promise<void> {
  const { absolute, relative, expected } = replacement
  const directory = dirname(absolute)
  const temporary = join(directory, createTemporaryName())
  await withIoFaults('write', relative, async () => {
    const handle = await open(temporary, CREATE_FLAGS, expected ? 0o600 : 0o666)
    try {
      await fill(handle, replacement)
      if (!(await isStillExpected(absolute, expected))) throw changedMeanwhile(relative)
      if (expected) await rename(temporary, absolute)
      else await claimName(temporary, replacement)
    } catch (fault) {
      await unlink(temporary).catch(() => undefined)
      throw fault
    }
  })
  // The file has its name by now; a directory that cannot be synced must not turn that into a failure.
  await syncDirectory(directory).catch(() => undefined)
}

async function fill(handle: FileHandle, { bytes, expected }: Replacement): Promise<void> {
  try {
    await handle.writeFile(bytes)
    if (expected) await keepOwnerAndMode(handle, expected)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

// The owner first: the system drops set-id bits when it changes. Another owner's set-id bits must not become ours.
async function keepOwnerAndMode(handle: FileHandle, expected: BigIntStats): Promise<void> {
  const mine = await handle.stat({ bigint: true })
  const isOurs = mine.uid === expected.uid && mine.gid === expected.gid
  const isKept = isOurs || (await succeeds(handle.chown(Number(expected.uid), Number(expected.gid))))
  await handle.chmod(Number(expected.mode & (isKept ? 0o7777n : 0o1777n)))
}

async function succeeds(operation: Promise<void>): Promise<boolean> {
  try {
    await operation
    return true
  } catch {
    return false
  }
}

async function isStillExpected(absolute: string, expected: BigIntStats | undefined): Promise<boolean> {
  const now = await lookAt(absolute)
  if (!now || !expected) return now === expected
  return isSameFile(now, expected) && now.mtimeNs === expected.mtimeNs && now.ctimeNs === expected.ctimeNs
}

// `link` refuses a name that is taken, which `rename` does not.
async function claimName(temporary: string, { absolute, relative }: Replacement): Promise<void> {
  try {
    await link(temporary, absolute)
  } catch (fault) {
    const code = systemCode(fault)
    if (code === 'EEXIST') throw changedMeanwhile(relative)
    if (!NO_HARD_LINKS.has(code)) throw fault
    await rename(temporary, absolute)
    return
  }
  await unlink(temporary).catch(() => undefined)
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function changedMeanwhile(relative: string): AgentError {
  return new AgentError('stale_file', `${describeValue(relative)} has changed meanwhile; read it again`)
}
