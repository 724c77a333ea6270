import type { ToolAction } from '../conversation/action.js'
import { AgentError, describeValue } from '../errors.js'
import { runCommand } from './command.js'
import type { ToolPolicy } from './policy.js'
import type { EffectReceipt } from './receipt.js'
import type { FileChange, WorkspaceFiles } from './workspace-files.js'

/** An action that only looks. */
export type ReadAction = Extract<ToolAction, { readonly tool: 'list_files' | 'read_file' }>
/** An action that changes something and so needs an approval and a receipt. */
export type EffectAction = Exclude<ToolAction, ReadAction>

/** What an effect came to. */
export type EffectOutcome = Pick<EffectReceipt, 'exitState' | 'result' | 'changedArtifacts'>

/** An effect that has passed every check and has not taken place. */
export interface PreparedEffect {
  /** What the check was made against: of two checks with the same text the second found nothing changed. */
  readonly basis: string
  /** Makes the effect. An abort ends a command, and the signal's reason is thrown; a write is always completed. */
  carryOut(signal?: AbortSignal): Promise<EffectOutcome>
}

/** Whether an action only looks. */
export function isReadAction(action: ToolAction): action is ReadAction {
  return action.tool === 'list_files' || action.tool === 'read_file'
}

/**
 * Makes every check of an effect and touches nothing.
 *
 * @throws AgentError with the code of whatever is refused.
 */
export async function prepareEffect(
  action: EffectAction,
  policy: ToolPolicy,
  files: WorkspaceFiles,
): Promise<PreparedEffect> {
  if (action.tool === 'run_command') {
    const effect = prepareCommand(action.arguments.argv, policy)
    await files.checkRoot()
    return effect
  }
  const isWrite = action.tool === 'write_file'
  const change = await (isWrite ? files.prepareWrite(action.arguments) : files.prepareEdit(action.arguments))
  return prepareChange(change, files)
}

function prepareChange(change: FileChange, files: WorkspaceFiles): PreparedEffect {
  return {
    basis: change.before?.digest ?? 'a new file',
    async carryOut() {
      const result = await files.commit(change)
      return { exitState: 'ok', result, changedArtifacts: [change.place.path.relative] }
    },
  }
}

function prepareCommand(argv: readonly string[], policy: ToolPolicy): PreparedEffect {
  const isAllowed = policy.allowedCommands.some(
    command => command.length === argv.length && command.every((part, index) => part === argv[index]),
  )
  if (!isAllowed) {
    const fault = `the command ${describeValue(argv.join(' '))} is not one of the allowed ones; use one exactly as listed`
    throw new AgentError('command_refused', fault)
  }
  return {
    basis: 'an allowed command',
    async carryOut(signal) {
      const options = { cwd: policy.root, timeoutSeconds: policy.commandTimeoutSeconds, signal }
      const { status, output } = await runCommand(argv, options)
      const exitState = status === 0 ? 'ok' : 'error'
      return { exitState, result: `status: ${status}\noutput:\n${output}`, changedArtifacts: [] }
    },
  }
}
