import { createToolAction, isToolName, type ToolAction, type ToolName } from '../conversation/action.js'
import { AgentError, describeThrown, describeValue } from '../errors.js'

/** A request that was read at the moment it came in: whatever its author does to it later changes nothing. */
export type ToolRequest =
  | { readonly tool: ToolName; readonly action: ToolAction }
  | { readonly tool: ToolName | undefined; readonly fault: AgentError }

const MAX_FIELDS = 16
const MAX_ITEMS = 65_536

/** Reads any value as a request to run one tool. Never throws: a fault is kept for its turn. */
export function readToolRequest(value: unknown): ToolRequest {
  let tool: ToolName | undefined
  try {
    if (typeof value !== 'object' || value === null) {
      throw invalid(`a tool action must be an object, not ${describeValue(value)}`)
    }
    const { tool: name, arguments: fields } = value as { readonly tool?: unknown; readonly arguments?: unknown }
    if (!isToolName(name)) throw invalid(`unknown tool ${describeValue(name)}`)
    tool = name
    return { tool, action: createToolAction(tool, copyFields(fields)) }
  } catch (cause) {
    const isOurs = cause instanceof AgentError
    return { tool, fault: isOurs ? cause : invalid(`the tool action cannot be read: ${describeThrown(cause)}`, cause) }
  }
}

// Own fields alone, each read once, and no walk through an array that claims a length no command has.
function copyFields(fields: unknown): unknown {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return fields
  const keys = Reflect.ownKeys(fields)
  if (keys.length > MAX_FIELDS) throw invalid('the arguments have too many fields')
  const entries = keys.map(key => {
    if (typeof key === 'symbol') throw invalid('the arguments have a symbol for a name')
    return [key, copyItems((fields as Record<string, unknown>)[key])] as const
  })
  return Object.fromEntries(entries)
}

function copyItems(value: unknown): unknown {
  if (!Array.isArray(value)) return value
  const length = value.length
  if (length > MAX_ITEMS) throw invalid(`an argument has ${length} items, which is more than any command takes`)
  return Array.from({ length }, (_, index): unknown => value[index])
}

function invalid(message: string, cause?: unknown): AgentError {
  return cause === undefined
    ? new AgentError('invalid_action', message)
    : new AgentError('invalid_action', message, { cause })
}
