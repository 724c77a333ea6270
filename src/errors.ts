/**
 * Every code an `AgentError` can carry, with what it means. The union is closed: a `switch` over it can be exhaustive,
 * and the README's table is checked against this object.
 */
export const ERROR_CODES = Object.freeze({
  invalid_task: 'the task is not a string with something in it',
  invalid_option: 'a limit, `afterToolCalls` or another option is out of its range',
  invalid_action: 'a response is not exactly one action for the enabled tools',
  invalid_message: 'a message is not a known role with a string',
  invalid_model_checkpoint: 'a model snapshot is incoherent, or not at the position of the conversation',
  invalid_checkpoint: 'a value is not a checkpoint, or its id does not match its content',
  not_checkpointable: 'the model has no `saveCheckpoint`, or no `restoreCheckpoint`',
  model_failed: '`model.generate` threw, rejected, or answered something other than a string',
  save_failed: '`model.saveCheckpoint` threw or rejected',
  restore_failed: '`model.restoreCheckpoint` threw or rejected',
  workspace_failed: 'the workspace threw, rejected, or answered something it must not',
  listener_failed: '`onEvent` threw, or its promise rejected',
  run_stopped: 'something outside, as an inspector, stopped the actor of the run or sent it an error',
  run_ended: 'the run ended before the boundary; the finished run is in `run`',
  script_exhausted: 'a `ScriptedModel` was asked for more responses than it has',
  prefix_mismatch: 'the first input after a restore is not the saved prefix',
  invalid_policy: 'a workspace policy is not usable',
  tool_disabled: 'the policy does not enable the tool',
  path_refused: 'a path is malformed, protected, outside the root, or leads through a symbolic link',
  file_refused: 'a file is missing, not a regular file, too large, or not UTF-8',
  stale_file: 'a file was not read before it is changed, or has changed since it was read',
  edit_refused: 'the text to replace is empty, absent, or present more than once',
  command_refused: 'a command is not one of the allowed ones',
  command_failed: 'an allowed command could not be started',
  approval_denied: 'the operator did not approve the effect',
  call_id_conflict: 'a tool call id is already recorded for another action',
  invalid_receipt: 'a receipt is malformed, or its id does not match its content',
  receipt_log_damaged: 'a line of the receipt log is changed, malformed, conflicting or torn',
  receipt_store_failed: 'an effect took place and its receipt could not be recorded',
  io_failed: 'the file system refused an operation',
  invalid_trace: 'a line of a trace is not an event of the inspector',
  inspector_failed: 'the inspector cannot listen, or its page was not built',
} as const)

/** One of the closed set of codes; see `ERROR_CODES`. */
export type AgentErrorCode = keyof typeof ERROR_CODES

/**
 * The one error class that a caller or the model may see. `message` is one sentence that names the offending thing and
 * the way out; `cause`, where there is one, is the very value that was thrown, whatever it is.
 */
export class AgentError extends Error {
  override readonly name: string = 'AgentError'
  readonly code: AgentErrorCode

  constructor(code: AgentErrorCode, message: string, options?: { readonly cause: unknown }) {
    super(message, options)
    this.code = code
  }
}

/**
 * Names any value in a message, in about `limit` characters. Never throws: a value may be a hostile proxy, a symbol, or
 * an object with 100,000 levels, so objects are named by their kind and never walked.
 */
export function describeValue(value: unknown, limit = 60): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value.length > limit ? `${value.slice(0, limit)}…` : value)
    case 'object':
      return value === null ? 'null' : isArray(value) ? 'an array' : 'an object'
    case 'function':
    case 'symbol':
    case 'bigint':
      return `a ${typeof value}`
    default:
      return Object.is(value, -0) ? '-0' : String(value)
  }
}

/** The text of whatever was thrown, for a message; never throws, at most about 300 characters. */
export function describeThrown(thrown: unknown): string {
  try {
    // Well-formed, since the model reads it: an engine's message quotes half a character, and so does the cut.
    if (thrown instanceof Error) {
      return String(thrown.message).slice(0, 300).toWellFormed() || 'an error without a message'
    }
  } catch {
    // A getter or a proxy that throws: its kind says enough.
  }
  return describeValue(thrown, 300)
}

function isArray(value: object): boolean {
  try {
    return Array.isArray(value)
  } catch {
    return false // a revoked proxy
  }
}
