import { constants } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'

import { canonicalJson } from '../canonical-json.js'
import { AgentError, describeThrown, describeValue } from '../errors.js'
import { withIoFaults } from './io-fault.js'
import { type EffectReceipt, fromRecord, toRecord } from './receipt.js'
import { lookAt } from './workspace-root.js'

const SAFE_FLAGS = constants.O_NOFOLLOW | constants.O_NONBLOCK
const NEWLINE = 0x0a
const NEWLINE_BYTE = Buffer.from([NEWLINE])

/** A file of receipts, one JSON record a line, to which lines are added and in which none is ever changed. */
export class ReceiptLog {
  /** Absolute and free of links, so that a workspace can recognise the file by its path. */
  readonly file: string
  #isTorn = false

  private constructor(file: string) {
    this.file = file
  }

  /**
   * Opens a log, or creates an empty one that its owner alone can read, and answers what it holds, every line verified.
   *
   * @throws AgentError: `invalid_option` (no text), `path_refused` (a symbolic link), `file_refused` (no regular file), `receipt_log_damaged` (names
   * the line), `io_failed`.
   */
  static async open(file: string): Promise<{ readonly log: ReceiptLog; readonly receipts: readonly EffectReceipt[] }> {
    if (typeof file !== 'string') {
      throw new AgentError('invalid_option', `the receipt log must be a path, not ${describeValue(file)}`)
    }
    const given = resolve(file)
    const bytes = await withIoFaults('open the receipt log', file, async () => {
      const stats = await lookAt(given)
      if (stats?.isSymbolicLink()) throw refuse('path_refused', file, 'is a symbolic link; name the file itself')
      if (stats && !stats.isFile()) throw refuse('file_refused', file, 'is not a regular file')
      const creation = stats ? 0 : constants.O_CREAT | constants.O_EXCL
      return useFile(given, constants.O_RDWR | creation | SAFE_FLAGS, handle => handle.readFile())
    })
    const path = await withIoFaults('open the receipt log', file, () => realpath(dirname(given)))
    return { log: new ReceiptLog(join(path, basename(given))), receipts: parseLog(bytes, file) }
  }

  /**
   * Adds one line in one write and waits until it is on the disk. A line that could not be written whole is taken back.
   *
   * @throws AgentError (`io_failed`, `receipt_log_damaged` after a part of a line could not be taken back).
   */
  async append(receipt: EffectReceipt): Promise<void> {
    if (this.#isTorn)
      throw refuse('receipt_log_damaged', this.file, 'has a torn last line; mend it, then open it again')
    const line = `${canonicalJson(toRecord(receipt))}\n`
    await withIoFaults('write the receipt log', this.file, () =>
      useFile(this.file, constants.O_RDWR | constants.O_APPEND | SAFE_FLAGS, async handle => {
        const { size } = await handle.stat()
        const bytes = Buffer.from((await endsInLine(handle, size)) ? line : `\n${line}`, 'latin1')
        try {
          const { bytesWritten } = await handle.write(bytes)
          if (bytesWritten < bytes.length) throw new Error(`only ${bytesWritten} of ${bytes.length} bytes were written`)
          await handle.datasync()
        } catch (fault) {
          this.#isTorn = !(await takeBack(handle, size, bytes.length))
          throw fault
        }
      }),
    )
  }
}

async function useFile<T>(file: string, flags: number, use: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await open(file, flags, 0o600)
  try {
    return await use(handle)
  } finally {
    await handle.close()
  }
}

async function endsInLine(handle: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return true
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(1), 0, 1, size - 1)
  return bytesRead === 1 && buffer.equals(NEWLINE_BYTE)
}

// Somebody else's line after ours must not be cut off with it.
async function takeBack(handle: FileHandle, size: number, written: number): Promise<boolean> {
  try {
    const now = (await handle.stat()).size
    if (now === size) return true
    if (now > size + written) return false
    await handle.truncate(size)
    return true
  } catch {
    return false
  }
}

function parseLog(bytes: Buffer, file: string): readonly EffectReceipt[] {
  const receipts: EffectReceipt[] = []
  const known = new Map<string, string>()
  let start = 0
  for (let line = 1; start < bytes.length; line += 1) {
    const newline = bytes.indexOf(NEWLINE, start)
    const end = newline < 0 ? bytes.length : newline
    const receipt = parseLine(
      bytes.subarray(start, end),
      newline < 0,
      `line ${line} of the receipt log ${describeValue(file, 200)}`,
    )
    const earlier = known.get(receipt.toolCallId)
    if (earlier !== undefined && earlier !== receipt.receiptId) {
      throw refuse(
        'receipt_log_damaged',
        file,
        `conflicts with itself: line ${line} gives another receipt for ${describeValue(receipt.toolCallId)}`,
      )
    }
    if (earlier === undefined) receipts.push(receipt)
    known.set(receipt.toolCallId, receipt.receiptId)
    start = end + 1
  }
  return receipts
}

function parseLine(bytes: Uint8Array, isUnfinished: boolean, where: string): EffectReceipt {
  let record: unknown
  try {
    record = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch (cause) {
    const fault = isUnfinished ? 'is torn: it has no end and is not JSON; remove it' : 'is not JSON'
    throw new AgentError('receipt_log_damaged', `${where} ${fault}`, { cause })
  }
  try {
    return fromRecord(record)
  } catch (cause) {
    throw new AgentError('receipt_log_damaged', `${where} is no valid receipt: ${describeThrown(cause)}`, { cause })
  }
}

function refuse(
  code: 'path_refused' | 'file_refused' | 'receipt_log_damaged',
  file: string,
  fault: string,
): AgentError {
  return new AgentError(code, `the receipt log ${describeValue(file, 200)} ${fault}`)
}
