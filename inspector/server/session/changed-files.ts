import { posix } from 'node:path'

import type { ToolAction } from 'safepoint'

import type { CutText } from '../../wire.js'
import { cutText } from '../wire/cut-text.js'
import { type FileText, readTextFile } from './read-text-file.js'
import { createUnifiedDiff } from './unified-diff.js'

/** A change that has not been made, as it is shown for approval. */
export interface ShownChange {
  readonly path: string
  readonly diff: CutText
}

/** A change that is to be approved is shown whole, as far as the default policy lets a file grow. */
const MOST_SHOWN = 150_000
const MOST_DIFF = 8_000
const MOST_FILES = 20

/** The files that effects were asked for, each with what it was before the first of them. */
export class ChangedFiles {
  readonly #root: string | undefined
  readonly #first = new Map<string, FileText>()
  #shown: readonly ShownChange[] = []

  constructor(root: string | undefined) {
    this.#root = root
  }

  /** The files that differ from what they were, as of the last `refresh`. */
  get shown(): readonly ShownChange[] {
    return this.#shown
  }

  /**
   * What an effect would change; `undefined` for a command. To be called when the workspace has found the action good
   * and asks for approval: until then its path may lead anywhere. Never rejects.
   */
  async foresee(action: ToolAction): Promise<ShownChange | undefined> {
    if (action.tool !== 'write_file' && action.tool !== 'edit_file') return undefined
    const path = posix.normalize(action.arguments.path)
    const now =
      this.#root === undefined ? { unreadable: 'no directory is known' } : await readTextFile(this.#root, path)
    if (!this.#first.has(path) && this.#first.size < MOST_FILES) this.#first.set(path, now)
    return { path, diff: cutText(foreseeDiff(action, path, now), MOST_SHOWN) }
  }

  /** Looks again at every file that an effect was approved for. Answers whether anything is different. Never rejects. */
  async refresh(): Promise<boolean> {
    const root = this.#root
    if (root === undefined) return false
    const shown: ShownChange[] = []
    for (const [path, first] of this.#first) {
      const diff = compare(path, first, await readTextFile(root, path))
      if (diff !== '') shown.push({ path, diff: cutText(diff, MOST_DIFF) })
    }
    const isSame = JSON.stringify(shown) === JSON.stringify(this.#shown)
    this.#shown = shown
    return !isSame
  }
}

type FileAction = Extract<ToolAction, { readonly tool: 'write_file' | 'edit_file' }>

function foreseeDiff(action: FileAction, path: string, now: FileText): string {
  if (action.tool === 'write_file') {
    const before = 'text' in now ? now.text : null
    const note = 'unreadable' in now ? `What it replaces cannot be shown: ${now.unreadable}.\n` : ''
    return note + createUnifiedDiff(path, before, action.arguments.content)
  }
  const { old, new: replacement } = action.arguments
  const start = 'text' in now ? now.text.indexOf(old) : -1
  if (!('text' in now) || start < 0) return createUnifiedDiff(path, old, replacement)
  const edited = now.text.slice(0, start) + replacement + now.text.slice(start + old.length)
  return createUnifiedDiff(path, now.text, edited)
}

function compare(path: string, first: FileText, now: FileText): string {
  if ('unreadable' in first || 'unreadable' in now) {
    const why = 'unreadable' in now ? now.unreadable : 'unreadable' in first ? first.unreadable : ''
    return `It cannot be compared: ${why}.\n`
  }
  return createUnifiedDiff(path, 'text' in first ? first.text : null, 'text' in now ? now.text : null)
}
