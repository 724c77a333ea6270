import { type AgentWorkspace, buildSystemPrompt, parseAction, type ToolName } from 'safepoint'
import { describe, expect, it } from 'vitest'

const ALL: readonly ToolName[] = ['list_files', 'read_file', 'write_file', 'edit_file', 'run_command']

function createWorkspace(tools: readonly ToolName[], allowedCommands?: readonly (readonly string[])[]): AgentWorkspace {
  const workspace = {
    availableTools: new Set(tools),
    modifiedFiles: [],
    execute: () => {
      throw new Error('the prompt runs nothing')
    },
  }
  return allowedCommands === undefined ? workspace : { ...workspace, allowedCommands }
}

/** The lines of a prompt that show a tool: those that begin with a request. */
function readToolLines(prompt: string): readonly string[] {
  return prompt.split('\n').filter(line => line.startsWith('- {"tool":'))
}

const subsets = Array.from({ length: 2 ** ALL.length }, (_, bits) => ALL.filter((_tool, index) => (bits >> index) & 1))

describe('buildSystemPrompt', () => {
  it.each(subsets.map(tools => [tools.join(', ') || 'nothing', tools] as const))(
    'with %s enabled lists exactly that',
    (_name, tools) => {
      const prompt = buildSystemPrompt(createWorkspace(tools, [['npm', 'test']]))
      const listed = readToolLines(prompt).map(line => /"tool":"(\w+)"/.exec(line)?.[1])
      expect(listed).toEqual(tools)
      for (const tool of ALL) expect(prompt.includes(tool)).toBe(tools.includes(tool))
      expect(prompt.includes('No tools are enabled.')).toBe(tools.length === 0)
      expect(prompt.includes('["npm","test"]')).toBe(tools.includes('run_command'))
    },
  )

  it('shows requests that parseAction accepts', () => {
    const shown = readToolLines(buildSystemPrompt(createWorkspace(ALL)))
    const requests = shown.map(line => /^- (\{.*\}) /.exec(line)?.[1] ?? '')
    expect(requests.map(request => parseAction(request)).map(action => action.kind === 'tool' && action.tool)).toEqual(
      ALL,
    )
  })

  it('lists the exact allowed commands, in their order, as the argv to ask for', () => {
    const commands = [
      ['npm', 'test'],
      ['git', 'commit', '-m', 'two words'],
      ['printf', '%s\n', '"quoted"', '\\', 'é😀'],
      ['npm', 'test', ''],
    ]
    const lines = buildSystemPrompt(createWorkspace(['run_command'], commands)).split('\n')
    const listed = lines.slice(lines.indexOf('Allowed commands:') + 1).map(line => JSON.parse(line.slice(2)) as unknown)
    expect(listed).toEqual(commands)
  })

  it('names no commands when there are none', () => {
    expect(buildSystemPrompt(createWorkspace(ALL))).not.toContain('Allowed commands:')
    expect(buildSystemPrompt(createWorkspace(ALL, []))).toBe(buildSystemPrompt(createWorkspace(ALL)))
  })

  it('tells the rules of the protocol', () => {
    const prompt = buildSystemPrompt(createWorkspace([]))
    for (const rule of ['exactly one JSON object', '{"tool": NAME', '{"final": ', 'relative', '"error:"']) {
      expect(prompt).toContain(rule)
    }
  })

  it('depends on nothing but the tools and the commands', () => {
    const commands = [['npm', 'test']]
    const workspace = createWorkspace(ALL, commands)
    const prompt = buildSystemPrompt(workspace)
    expect(buildSystemPrompt(workspace)).toBe(prompt)
    const other: AgentWorkspace = { ...createWorkspace(ALL.toReversed(), commands), modifiedFiles: ['a'] }
    expect(buildSystemPrompt(other)).toBe(prompt)
    expect(prompt.isWellFormed()).toBe(true)
    expect(prompt).not.toMatch(/\r|[ \t]$/m)
  })
})
