import {
  type AgentAction,
  type AgentError,
  type AgentLimits,
  type Message,
  parseAction,
  type ToolAction,
} from 'safepoint'

type Script = { readonly generate: (step: number) => string; readonly execute: (action: ToolAction) => string }

/** The loop as a plain loop: what a run must come to, said a second time and without a machine. */
export function referenceLoop(
  { generate, execute }: Script,
  limits: AgentLimits,
  start: readonly Message[],
  afterToolCalls?: number,
): { reason: string; final: string | null; events: unknown[]; messages: Message[] } {
  const messages = [...start]
  const events: unknown[] = []
  const end = (reason: string, final: string | null = null) => ({ reason, final, events, messages })
  let [invalid, identical, calls, last] = [0, 0, 0, '']
  for (let step = 1; step <= limits.maxSteps; step += 1) {
    if (messages.flatMap(message => [...message.content]).length > limits.maxContextChars) return end('context_limit')
    const response = generate(step)
    const action = read(response)
    const record = (result: string | null) =>
      events.push({ step, response, action: typeof action === 'string' ? null : action, result })
    let result = ''
    if (typeof action === 'string') {
      ;[invalid, identical, last] = [invalid + 1, 0, '']
      result = action
      record(result)
      if (invalid >= limits.maxInvalidActions) return end('invalid_action_limit')
    } else if (action.kind === 'final') {
      record(null)
      return end('completed', action.final)
    } else {
      const key = JSON.stringify([action.tool, action.arguments])
      ;[identical, last] = [key === last ? identical + 1 : 1, key]
      if (identical > limits.maxIdenticalActions) {
        record('error: identical action loop detected')
        return end('repeated_action_limit')
      }
      result = execute(action)
      record(result)
      calls += 1
    }
    messages.push({ role: 'assistant', content: response }, { role: 'user', content: `Tool result:\n${result}` })
    if (typeof action !== 'string' && calls === afterToolCalls) return end('boundary')
  }
  return end('step_limit')
}

function read(response: string): AgentAction | string {
  try {
    return parseAction(response, new Set(['list_files', 'read_file']))
  } catch (error) {
    return `error: ${(error as AgentError).message}`
  }
}
