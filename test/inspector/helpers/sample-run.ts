import { ReceiptStore, ScriptedModel, Workspace } from 'safepoint'

import type { PreparedRun } from '../../../inspector/server/index.js'
import { createTempDir } from '../../helpers/temp-dir.js'

const COMMAND = [process.execPath, '--eval', "console.log('ran')"] as const

/** Writes a new file, then runs a command: two effects before the boundary, a final answer after it. */
export const SCRIPT: readonly string[] = [
  { tool: 'list_files' },
  { tool: 'write_file', path: 'note.txt', content: 'one\ntwo\n' },
  { tool: 'run_command', argv: COMMAND },
  { final: 'It is written.' },
].map(response => JSON.stringify(response))

/**
 * A run with effects, stopped after its third tool call.
 *
 * @param directory - Where it works; one of its own that is gone after the test, when left out.
 */
export async function prepareSample(changes: Partial<PreparedRun> = {}, directory?: string): Promise<PreparedRun> {
  const root = directory ?? (await createTempDir())
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
