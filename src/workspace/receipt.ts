import { type CanonicalValue, canonicalId } from '../canonical-json.js'
import { ValueReader } from '../checkpoint/read-value.js'
import { isToolName, type ToolName } from '../conversation/action.js'
import { describeValue } from '../errors.js'

/** The record of one effect that took place. */
export interface EffectReceipt {
  /** The SHA-256 of the canonical JSON of the other fields; it catches an accidental change and is no signature. */
  readonly receiptId: string
  readonly toolCallId: string
  readonly tool: ToolName
  /** The arguments as they were requested. */
  readonly arguments: Readonly<Record<string, string | readonly string[]>>
  /** `error` for a command whose status is not 0. */
  readonly exitState: 'ok' | 'error'
  /** The observation that the model was given. */
  readonly result: string
  /** The workspace-relative paths that the effect is known to have changed; none for a command. */
  readonly changedArtifacts: readonly string[]
}

/** A receipt before it has an id. */
export type ReceiptFields = Omit<EffectReceipt, 'receiptId'>

const FIELDS = ['toolCallId', 'tool', 'arguments', 'exitState', 'result', 'changedArtifacts'] as const
const RECORD_FIELDS = ['tool_call_id', 'tool', 'arguments', 'exit_state', 'result', 'changed_artifacts'] as const
const reader = new ValueReader('invalid_receipt')

/**
 * A deeply frozen receipt with the id of its content.
 *
 * @throws AgentError (`invalid_receipt`) when a field is missing, unexpected or of the wrong shape.
 */
export function createReceipt(fields: ReceiptFields): EffectReceipt {
  return reader.read(() => build(reader.record(fields, 'the receipt', FIELDS)))
}

/**
 * A checked copy of a receipt, deeply frozen.
 *
 * @throws AgentError (`invalid_receipt`) when it is malformed or its id does not match its content.
 */
export function checkReceipt(value: unknown): EffectReceipt {
  return reader.read(() => verify(reader.record(value, 'the receipt', [...FIELDS, 'receiptId'])))
}

/**
 * Reads one record of a log, which has the same fields under `snake_case` names.
 *
 * @throws AgentError (`invalid_receipt`) as `checkReceipt` does.
 */
export function fromRecord(record: unknown): EffectReceipt {
  return reader.read(() => verify(reader.record(record, 'the record', [...RECORD_FIELDS, 'receipt_id'])))
}

/** The record of a receipt for a log. */
export function toRecord(receipt: EffectReceipt): CanonicalValue {
  return { ...contentOf(receipt), receipt_id: receipt.receiptId }
}

function contentOf(fields: ReceiptFields): Record<string, CanonicalValue> {
  return {
    arguments: fields.arguments,
    changed_artifacts: fields.changedArtifacts,
    exit_state: fields.exitState,
    result: fields.result,
    tool: fields.tool,
    tool_call_id: fields.toolCallId,
  }
}

function verify(values: readonly unknown[]): EffectReceipt {
  const receipt = build(values)
  const claimed = values[FIELDS.length]
  if (claimed === receipt.receiptId) return receipt
  throw reader.refuse(`the receipt's id ${describeValue(claimed, 64)} does not match its content`)
}

function build(values: readonly unknown[]): EffectReceipt {
  const [toolCallId, tool, toolArguments, exitState, result, changedArtifacts] = values
  if (typeof toolCallId !== 'string' || toolCallId === '') {
    throw reader.refuse(`the tool call id must be a string that is not empty, not ${describeValue(toolCallId)}`)
  }
  if (!isToolName(tool)) throw reader.refuse(`the tool must be one there is, not ${describeValue(tool)}`)
  if (exitState !== 'ok' && exitState !== 'error') {
    throw reader.refuse(`the exit state must be "ok" or "error", not ${describeValue(exitState)}`)
  }
  const fields: ReceiptFields = {
    toolCallId,
    tool,
    arguments: readArguments(toolArguments),
    exitState,
    result: readText(result, 'the result'),
    changedArtifacts: readTexts(changedArtifacts, 'the changed artifacts'),
  }
  return Object.freeze({ receiptId: canonicalId(contentOf(fields)), ...fields })
}

function readArguments(value: unknown): EffectReceipt['arguments'] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw reader.refuse(`the arguments must be an object, not ${describeValue(value)}`)
  }
  const entries = Reflect.ownKeys(value).map(key => {
    if (typeof key !== 'string') throw reader.refuse('the arguments must have no symbols for names')
    const argument = (value as Record<string, unknown>)[key]
    const name = `the argument ${describeValue(key)}`
    return [key, typeof argument === 'string' ? argument : readTexts(argument, name)] as const
  })
  return Object.freeze(Object.fromEntries(entries))
}

function readTexts(value: unknown, name: string): readonly string[] {
  return reader.list(value, name, item => readText(item, `an item of ${name}`))
}

function readText(value: unknown, name: string): string {
  if (typeof value === 'string') return value
  throw reader.refuse(`${name} must be a string, not ${describeValue(value)}`)
}
