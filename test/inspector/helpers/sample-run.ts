import { ReceiptStore, ScriptedModel, Workspace } from 'safepoint'

import type { PreparedRun } from '../../../inspector/server/index.js'
import { createTempDir } from '../../helpers/temp-dir.js'

export const COMMAND = [process.execPath, '--eval', "console.log('ran')"] as const

/** Writes a new file, then runs a command: two effects before the boundary, a final answer after it. */
export const SCRIPT: readonly string[] = [
  { tool: 'list_files' },
  { tool: 'write_file', path: 'note.txt', content: 'one\ntwo\n' },
  { tool: 'run_command', argv: COMMAND },
  { final: 'It is written.' },
].map(response => JSON.stringify(response))

/** A run with effects in a directory of its own, stopped after its third tool call. */
export async function prepareSample(changes: Partial<PreparedRun> = {}): Promise<PreparedRun> {
  const root = await createTempDir()
  const policy = { root, allowWrites: true, allowedCommands: [COMMAND] }
  const receipts = ReceiptStore.inMemory()
  return {
    task: 'write a note',
    root,
    afterToolCalls: 3,
    createModel: () => new ScriptedModel(SCRIPT),
    createWorkspace: confirmTool => ({ workspace: new Workspace(policy, { confirmTool, receipts }), receipts }),
    ...changes,
  }
}
