import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type ConfirmTool, ReceiptStore, type ToolAction, type ToolPolicyInput, Workspace } from 'safepoint'
import { createTempDir } from '../helpers/temp-dir.js'

interface Setting {
  /** The files under the root, with their contents. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  readonly policy?: Omit<ToolPolicyInput, 'root'>
  /** What the operator does; approves everything when left out, is missing when null. */
  readonly confirmTool?: ConfirmTool | null
  readonly receipts?: ReceiptStore
}

/** A workspace over a new directory that allows writes, with an operator who approves. */
export async function setUp({ files = {}, policy, confirmTool, receipts = ReceiptStore.inMemory() }: Setting = {}) {
  const root = join(await createTempDir(), 'root')
  await mkdir(root)
  await putFiles(root, files)
  const asked: ToolAction[] = []
  const ask: ConfirmTool = action => {
    asked.push(action)
    return confirmTool ? confirmTool(action) : true
  }
  const options = confirmTool === null ? { receipts } : { confirmTool: ask, receipts }
  const workspace = new Workspace({ root, allowWrites: true, ...policy }, options)
  return { root, workspace, receipts, asked }
}

/** Writes files, with the directories that they need. */
export async function putFiles(root: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
}

/** The names in a directory, those included that a workspace would not show. */
export async function namesIn(directory: string): Promise<readonly string[]> {
  return (await readdir(directory)).sort()
}

export function readAction(path: string): ToolAction {
  return { kind: 'tool', tool: 'read_file', arguments: { path } }
}

export function listAction(path?: string): ToolAction {
  return { kind: 'tool', tool: 'list_files', arguments: path === undefined ? {} : { path } }
}

export function writeAction(path: string, content: string): ToolAction {
  return { kind: 'tool', tool: 'write_file', arguments: { path, content } }
}

export function editAction(path: string, old: string, replacement: string): ToolAction {
  return { kind: 'tool', tool: 'edit_file', arguments: { path, old, new: replacement } }
}

export function runAction(...argv: string[]): ToolAction {
  return { kind: 'tool', tool: 'run_command', arguments: { argv } }
}
