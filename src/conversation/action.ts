import * as z from 'zod'

import { AgentError, describeValue } from '../errors.js'
import { isBlank } from '../unicode.js'

const text = z.string({ error: issue => (issue.input === undefined ? 'is missing' : 'must be a string') })

const argv = z
  .array(text.min(1, { error: 'must not be empty' }), {
    error: issue => (issue.input === undefined ? 'is missing' : 'must be an array of strings'),
  })
  .min(1, { error: 'must not be empty' })

const toolSchemas = {
  list_files: z.strictObject({ path: z.exactOptional(text) }),
  read_file: z.strictObject({ path: text }),
  write_file: z.strictObject({ path: text, content: text }),
  edit_file: z.strictObject({ path: text, old: text, new: text }),
  run_command: z.strictObject({ argv }),
}

/** The name of a tool. */
export type ToolName = keyof typeof toolSchemas

type DeepReadonly<T> = T extends (infer Item)[] ? readonly Item[] : { readonly [K in keyof T]: DeepReadonly<T[K]> }

/** The arguments of each tool. */
export type ToolArguments = { readonly [T in ToolName]: DeepReadonly<z.infer<(typeof toolSchemas)[T]>> }

/** A request to run one tool; the type of `arguments` follows from `tool`. */
export type ToolAction = {
  readonly [T in ToolName]: { readonly kind: 'tool'; readonly tool: T; readonly arguments: ToolArguments[T] }
}[ToolName]

/** The answer that ends a run. */
export interface FinalAction {
  readonly kind: 'final'
  readonly final: string
}

/** Whatever a model may decide. */
export type AgentAction = FinalAction | ToolAction

/** Every tool there is, in the order in which the system prompt lists them. */
export const TOOL_NAMES = Object.freeze(Object.keys(toolSchemas)) as readonly ToolName[]

const allTools: ReadonlySet<ToolName> = new Set(TOOL_NAMES)

/**
 * Reads a response as exactly one action: one JSON object with nothing around it but JSON white space, either
 * `{"final": …}` alone or `{"tool": NAME, …}` with exactly that tool's fields. The action is deeply frozen.
 *
 * @param response - What the model said.
 * @param availableTools - The tools that may be named; all of them when left out.
 * @throws AgentError (`invalid_action`) with a message that the model can read and act on.
 */
export function parseAction(response: string, availableTools: ReadonlySet<ToolName> = allTools): AgentAction {
  const action = readAction(response, availableTools)
  return action.kind === 'final' ? action : requireWellFormed(action)
}

/**
 * What the loop reads: the same, but an argument with a lone surrogate passes. Such a request counts as a tool call; the
 * workspace's gate refuses it, and the model reads why in the observation.
 */
export function readAction(response: string, availableTools: ReadonlySet<ToolName>): AgentAction {
  const fields = parseObject(response)
  if (Object.hasOwn(fields, 'final')) return parseFinal(fields)
  const { tool, ...rest } = fields
  if (typeof tool !== 'string') throw invalid('the object needs either "final" or a "tool" that is a string')
  if (!isToolName(tool)) throw invalid(`unknown tool ${describeValue(tool)}; ${listTools(availableTools)}`)
  if (!availableTools.has(tool)) throw invalid(`the tool ${tool} is not enabled; ${listTools(availableTools)}`)
  return checkShape(tool, rest)
}

/**
 * A deeply frozen tool action of checked arguments.
 *
 * @throws AgentError (`invalid_action`) when a field is missing, unexpected, of the wrong shape, or ill-formed Unicode.
 */
export function createToolAction(tool: ToolName, fields: unknown): ToolAction {
  return requireWellFormed(checkShape(tool, fields))
}

/** Whether a name is one of the tools; a name from `Object.prototype` is not. */
export function isToolName(name: unknown): name is ToolName {
  return typeof name === 'string' && Object.hasOwn(toolSchemas, name)
}

/** Whether two actions ask for the same thing: same tool, same arguments, whatever the order of their keys. */
export function isSameAction(left: ToolAction, right: ToolAction): boolean {
  if (left.tool !== right.tool) return false
  const a = Object.entries(left.arguments)
  const b = new Map(Object.entries(right.arguments))
  return a.length === b.size && a.every(([key, value]) => b.has(key) && isSameArgument(value, b.get(key)))
}

function checkShape(tool: ToolName, fields: unknown): ToolAction {
  const parsed = toolSchemas[tool].safeParse(fields)
  if (!parsed.success) throw invalid(`${tool}: ${describeIssue(parsed.error.issues[0])}`)
  const checked = parsed.data
  if ('argv' in checked) Object.freeze(checked.argv)
  return Object.freeze({ kind: 'tool', tool, arguments: Object.freeze(checked) }) as ToolAction
}

function requireWellFormed(action: ToolAction): ToolAction {
  for (const [field, value] of Object.entries(action.arguments) as [string, string | readonly string[]][]) {
    const isWellFormed = typeof value === 'string' ? value.isWellFormed() : value.every(part => part.isWellFormed())
    if (isWellFormed) continue
    throw invalid(`${action.tool}: "${field}" has a lone surrogate, which cannot be written faithfully`)
  }
  return action
}

function isSameArgument(left: string | readonly string[], right: string | readonly string[] | undefined): boolean {
  if (typeof left === 'string' || typeof right !== 'object') return left === right
  return left.length === right.length && left.every((part, index) => part === right[index])
}

/** An action nests twice; parsing a response that nests without end takes its time and a gigabyte. */
const MAX_NESTING = 64

function isNestedTooDeep(response: string): boolean {
  let depth = 0
  let isInString = false
  for (let index = 0; index < response.length && depth <= MAX_NESTING; index += 1) {
    const unit = response[index]
    if (isInString && unit === '\\') index += 1
    else if (unit === '"') isInString = !isInString
    else if (!isInString && (unit === '[' || unit === '{')) depth += 1
    else if (!isInString && (unit === ']' || unit === '}')) depth -= 1
  }
  return depth > MAX_NESTING
}

function parseObject(response: string): Record<string, unknown> {
  if (isNestedTooDeep(response)) throw invalid('the response is nested too deep to be an action')
  let value: unknown
  try {
    value = JSON.parse(response)
  } catch (cause) {
    throw invalid('the response must be exactly one JSON object, with no text around it', { cause })
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw invalid(`the response must be one JSON object, not ${describeValue(value)}`)
}

function parseFinal(fields: Record<string, unknown>): FinalAction {
  if (Object.keys(fields).length > 1) throw invalid('"final" must stand alone, with no other field beside it')
  if (typeof fields.final !== 'string') throw invalid('"final" must be a string')
  if (isBlank(fields.final)) throw invalid('"final" must not be blank')
  return Object.freeze({ kind: 'final', final: fields.final })
}

function describeIssue(issue: z.core.$ZodIssue | undefined): string {
  if (issue === undefined) return 'the arguments do not fit'
  if (issue.code === 'unrecognized_keys') return `unexpected field ${describeValue(issue.keys[0])}`
  const [field, index] = issue.path
  if (field === undefined) return 'the arguments must be one object'
  return index === undefined
    ? `"${String(field)}" ${issue.message}`
    : `"${String(field)}"[${String(index)}] ${issue.message}`
}

function listTools(tools: ReadonlySet<ToolName>): string {
  const enabled = TOOL_NAMES.filter(name => tools.has(name))
  return enabled.length === 0 ? 'no tool is enabled' : `enabled: ${enabled.join(', ')}`
}

// The model reads the message and a checkpoint keeps it: the engine's own words, which change with its version, stay out.
function invalid(message: string, options?: { readonly cause: unknown }): AgentError {
  return new AgentError('invalid_action', message, options)
}
