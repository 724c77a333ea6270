import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'

import type { ToolArguments } from '../conversation/action.js'
import { AgentError, describeValue } from '../errors.js'
import { compareCodePoints } from '../unicode.js'
import { replaceFile } from './atomic-replace.js'
import { findOnce } from './find-once.js'
import { listDirectory } from './list-directory.js'
import type { ToolPolicy } from './policy.js'
import { decodeText, readBytes } from './read-bytes.js'
import { type Place, WorkspaceRoot } from './workspace-root.js'

/** A change that has passed every check and has not been made. */
export interface FileChange {
  readonly verb: 'wrote' | 'edited'
  readonly place: Place
  readonly bytes: Buffer
  /** The digest of the bytes to be replaced, and what stood there; undefined for a new file. */
  readonly before: { readonly digest: string; readonly stats: BigIntStats } | undefined
}

/** The files of one workspace, with the memory of what was read and what was changed. */
export class WorkspaceFiles {
  readonly #policy: ToolPolicy
  readonly #root: WorkspaceRoot
  readonly #seen = new Map<string, string>()
  readonly #modified = new Set<string>()

  constructor(policy: ToolPolicy, receiptLog?: string) {
    this.#policy = policy
    this.#root = new WorkspaceRoot(policy.root, receiptLog)
  }

  /** The changed paths, sorted by code point. */
  get modified(): readonly string[] {
    return Object.freeze([...this.#modified].sort(compareCodePoints))
  }

  list(path: string): Promise<string> {
    return listDirectory(this.#root, path, this.#policy.maxListEntries)
  }

  /**
   * Checks that the root still is what it was: a directory and no link.
   *
   * @throws AgentError: `path_refused`, `file_refused`, `io_failed`.
   */
  async checkRoot(): Promise<void> {
    const { stats } = await this.#root.locate('.')
    if (!stats?.isDirectory())
      throw new AgentError('file_refused', 'the root of the workspace is no directory any more')
  }

  /** The text of a file, whose bytes are remembered as seen. */
  async read(path: string): Promise<string> {
    const place = await this.#root.locate(path)
    const { bytes } = await readBytes(place, this.#policy.maxFileBytes)
    const text = decodeText(bytes, place.path.relative)
    this.#seen.set(place.path.relative, digestOf(bytes))
    return text
  }

  /**
   * Checks that a file may get this content.
   *
   * @throws AgentError: `path_refused`, `file_refused`, `stale_file`, `io_failed`.
   */
  async prepareWrite({ path, content }: ToolArguments['write_file']): Promise<FileChange> {
    const place = await this.#root.locate(path)
    const bytes = this.#encode(content, place)
    const current = place.stats && (await this.#readUnchanged(place))
    return { verb: 'wrote', place, bytes, before: current && { digest: current.digest, stats: current.stats } }
  }

  /**
   * Checks that a text is present exactly once, overlaps included, and replaces it literally.
   *
   * @throws AgentError: `edit_refused`, `path_refused`, `file_refused`, `stale_file`, `io_failed`.
   */
  async prepareEdit({ path, old, new: replacement }: ToolArguments['edit_file']): Promise<FileChange> {
    const place = await this.#root.locate(path)
    const { bytes, digest, stats } = await this.#readUnchanged(place)
    const text = decodeText(bytes, place.path.relative)
    const start = locate(text, old, describeValue(place.path.relative))
    const edited = text.slice(0, start) + replacement + text.slice(start + old.length)
    return { verb: 'edited', place, bytes: this.#encode(edited, place), before: { digest, stats } }
  }

  /** Makes a change; afterwards the new bytes count as seen. */
  async commit({ verb, place, bytes, before }: FileChange): Promise<string> {
    const { relative } = place.path
    await replaceFile({ absolute: place.absolute, relative, bytes, expected: before?.stats })
    this.#seen.set(relative, digestOf(bytes))
    this.#modified.add(relative)
    return `${verb} ${relative}`
  }

  #encode(content: string, place: Place): Buffer {
    const size = Buffer.byteLength(content)
    if (size <= this.#policy.maxWriteBytes) return Buffer.from(content)
    const name = describeValue(place.path.relative)
    throw new AgentError(
      'file_refused',
      `${name} would be ${size} bytes, over the limit of ${this.#policy.maxWriteBytes} bytes for a written file`,
    )
  }

  async #readUnchanged(place: Place): Promise<{ bytes: Buffer; digest: string; stats: BigIntStats }> {
    // What the workspace has written itself may be larger than what it shows.
    const limit = Math.max(this.#policy.maxFileBytes, this.#policy.maxWriteBytes)
    const { bytes, stats } = await readBytes(place, limit)
    const digest = digestOf(bytes)
    const seen = this.#seen.get(place.path.relative)
    if (seen === digest) return { bytes, digest, stats }
    const name = describeValue(place.path.relative)
    const fault =
      seen === undefined ? 'was not read; read it before it is changed' : 'has changed since it was read; read it again'
    throw new AgentError('stale_file', `the file ${name} ${fault}`)
  }
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function locate(text: string, old: string, name: string): number {
  if (old === '') throw new AgentError('edit_refused', `the text to replace in ${name} is empty; give the text to find`)
  const finding = findOnce(text, old)
  if (typeof finding === 'object') return finding.start
  const fault =
    finding === 'absent'
      ? `the text to replace is not present in ${name}; read the file again`
      : `the text to replace is present more than once in ${name}; give more of its surroundings`
  throw new AgentError('edit_refused', fault)
}
