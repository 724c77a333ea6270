import { TOOL_NAMES, type ToolName } from './action.js'

/** What the prompt reads of a workspace; `AgentWorkspace` has this shape. */
export interface PromptSource {
  readonly availableTools: ReadonlySet<ToolName>
  readonly allowedCommands?: readonly (readonly string[])[]
}

const TOOL_LINES: Readonly<Record<ToolName, string>> = {
  list_files: '{"tool":"list_files","path":"src"} lists one directory; without "path", the root.',
  read_file: '{"tool":"read_file","path":"src/app.js"} shows a file. Read a file before you change it.',
  write_file: '{"tool":"write_file","path":"notes.txt","content":"text\\n"} creates or replaces a whole file.',
  edit_file: '{"tool":"edit_file","path":"src/app.js","old":"a","new":"b"} replaces text that is present exactly once.',
  run_command:
    '{"tool":"run_command","argv":["program","argument"]} runs one of the allowed commands, exactly as listed.',
}

const RULES = [
  'You work on a project through tools. Answer every message with exactly one JSON object and nothing around it: no prose, no code fence.',
  'To ask for a tool, answer {"tool": NAME, …} with exactly the fields shown below. The next message is its result.',
  'To end, answer {"final": "what you did and what you found"} alone. An answer that is not valid costs a step.',
  'Paths are relative to the project root, with forward slashes, without "..". A result that begins with "error:" says what to mend.',
]

/**
 * The text of the first message: the rules of the protocol, the enabled tools and no others, the exact allowed commands.
 * It depends on nothing but its argument, so that the same workspace always begins in the same way.
 */
export function buildSystemPrompt(workspace: PromptSource): string {
  const tools = TOOL_NAMES.filter(name => workspace.availableTools.has(name))
  const lines = [...RULES, '', tools.length === 0 ? 'No tools are enabled.' : 'Tools:']
  for (const name of tools) lines.push(`- ${TOOL_LINES[name]}`)
  const commands = tools.includes('run_command') ? (workspace.allowedCommands ?? []) : []
  if (commands.length > 0) lines.push('', 'Allowed commands:')
  for (const command of commands) lines.push(`- ${JSON.stringify(command)}`)
  return lines.join('\n')
}
