import { AgentError, parseAction, type ToolAction, type ToolName } from 'safepoint'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { createToolAction, isSameAction, isToolName, TOOL_NAMES } from '../../src/conversation/action.js'
import { catchThrown, findUnfrozen } from '../helpers/values.js'

const MINIMAL: Readonly<Record<ToolName, Readonly<Record<string, unknown>>>> = {
  list_files: {},
  read_file: { path: 'a' },
  write_file: { path: 'a', content: 'c' },
  edit_file: { path: 'a', old: 'o', new: 'n' },
  run_command: { argv: ['a'] },
}

const tools = Object.keys(MINIMAL) as ToolName[]

/** Every field that names a fault when it is missing or not a string. */
const requiredTexts = tools.flatMap(tool =>
  Object.keys(MINIMAL[tool]).flatMap(field => (field === 'argv' ? [] : [[tool, field] as const])),
)
const allTexts = [...requiredTexts, ['list_files', 'path'] as const]

function write(tool: string, fields: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ tool, ...fields })
}

/** The message with which a response is refused; fails when it is accepted, or refused in another way. */
function refusal(response: string, available?: ReadonlySet<ToolName>): string {
  const thrown = catchThrown(() => (available === undefined ? parseAction(response) : parseAction(response, available)))
  expect(thrown).toBeInstanceOf(AgentError)
  const error = thrown as AgentError
  expect(error.code).toBe('invalid_action')
  expect(error.message.isWellFormed()).toBe(true)
  expect(error.message.length).toBeLessThan(600)
  return error.message
}

describe('parseAction accepts', () => {
  it.each(tools)('%s with its fields', tool => {
    expect(parseAction(write(tool, MINIMAL[tool]))).toStrictEqual({ kind: 'tool', tool, arguments: MINIMAL[tool] })
  })

  it('list_files with a path, and keeps it apart from list_files without one', () => {
    expect(parseAction(write('list_files', { path: '.' }))).toStrictEqual({
      kind: 'tool',
      tool: 'list_files',
      arguments: { path: '.' },
    })
    expect(parseAction('{"tool":"list_files"}')).toStrictEqual({ kind: 'tool', tool: 'list_files', arguments: {} })
  })

  it('a final answer, as it is', () => {
    expect(parseAction('{"final":" done\\n"}')).toStrictEqual({ kind: 'final', final: ' done\n' })
  })

  it('a final answer when no tool is enabled', () => {
    expect(parseAction('{"final":"done"}', new Set())).toStrictEqual({ kind: 'final', final: 'done' })
  })

  it('a final answer of what is not blank', () => {
    for (const final of ['\ufeff', '\u200b', '\u180e', '\0']) {
      expect(parseAction(JSON.stringify({ final }))).toStrictEqual({ kind: 'final', final })
    }
  })

  it('JSON white space around the object, of every kind', () => {
    expect(parseAction(' \t\r\n{"final":"x"}\n\r\t ')).toStrictEqual({ kind: 'final', final: 'x' })
  })

  it('empty texts, except in argv', () => {
    const fields = { path: '', old: '', new: '' }
    expect(parseAction(write('edit_file', fields))).toMatchObject({ arguments: fields })
  })

  it('the last of two fields with the same key', () => {
    expect(parseAction('{"final":"a","final":"b"}')).toMatchObject({ final: 'b' })
    expect(parseAction('{"tool":"nonsense","tool":"list_files","path":1,"path":"b"}')).toMatchObject({
      tool: 'list_files',
      arguments: { path: 'b' },
    })
  })

  it('pairs of surrogates, written out or escaped', () => {
    expect(parseAction('{"tool":"read_file","path":"😀\\ud83d\\ude00"}')).toMatchObject({ arguments: { path: '😀😀' } })
  })

  it('a response of 50 million characters', () => {
    const content = 'é\n'.repeat(25_000_000)
    const action = parseAction(write('write_file', { path: 'a', content }))
    expect(action.kind === 'tool' && action.tool === 'write_file' && action.arguments.content === content).toBe(true)
  })

  it('an argv of 100,000 strings', () => {
    const argv = Array.from({ length: 100_000 }, (_, index) => `argument ${index}`)
    expect(parseAction(write('run_command', { argv }))).toMatchObject({ arguments: { argv } })
  })
})

describe('parseAction hands out', () => {
  it.each([...tools.map(tool => write(tool, MINIMAL[tool])), '{"final":"x"}'])(
    'a deeply frozen action for %s',
    response => {
      expect(findUnfrozen(parseAction(response))).toEqual([])
    },
  )

  it('arguments whose type follows from the tool', () => {
    const action = parseAction(write('run_command', MINIMAL.run_command))
    if (action.kind !== 'tool' || action.tool !== 'run_command') throw new Error('another action')
    expectTypeOf(action.arguments.argv).toEqualTypeOf<readonly string[]>()
    expect(action.arguments.argv).toEqual(['a'])
  })
})

describe('parseAction refuses', () => {
  it.each([
    ['nothing at all', ''],
    ['white space alone', ' \n'],
    ['prose', 'I would like to list the files.'],
    ['prose before the object', 'Sure: {"final":"x"}'],
    ['prose after the object', '{"final":"x"} and that is it'],
    ['a code fence', '```json\n{"final":"x"}\n```'],
    ['two objects', '{"final":"x"}{"final":"y"}'],
    ['a byte-order mark before the object', '\ufeff{"final":"x"}'],
    ['a byte-order mark after the object', '{"final":"x"}\ufeff'],
    ['a no-break space before the object', '\u00a0{"final":"x"}'],
    ['half a pair of surrogates', '\ud83d'],
    ['a character outside of the object', '😀{"final":"x"}'],
    ['a comment', '{"final":"x"} // done'],
    ['a trailing comma', '{"final":"x",}'],
    ['single quotes', "{'final':'x'}"],
    ['an object cut off', '{"tool":"read_file","path":"a'],
  ])('%s, because it is not one JSON object', (_name, response) => {
    expect(refusal(response)).toContain('exactly one JSON object')
  })

  it.each([
    ['null', 'null'],
    ['true', 'true'],
    ['-0', '-0'],
    ['"text"', '"text"'],
    ['an array', '[{"final":"x"}]'],
  ])('%s, because it is no object', (name, response) => {
    expect(refusal(response)).toBe(`the response must be one JSON object, not ${name}`)
  })

  it('an empty object, and one with neither final nor tool', () => {
    expect(refusal('{}')).toContain('"final"')
    expect(refusal('{"path":"a"}')).toContain('"tool"')
    expect(refusal('{"Final":"a"}')).toContain('"final"')
  })

  it.each(['1', 'null', 'true', '[]', '["list_files"]', '{"name":"list_files"}'])('a tool that is %s', tool => {
    expect(refusal(`{"tool":${tool}}`)).toContain('"tool" that is a string')
  })

  it.each(['', 'nonsense', 'List_files', 'list_files ', '__proto__', 'constructor', 'toString', 'final'])(
    'the unknown tool %j, naming it and the enabled ones',
    tool => {
      const message = refusal(write(tool, {}), new Set<ToolName>(['read_file', 'list_files']))
      expect(message).toContain(JSON.stringify(tool))
      expect(message).toContain('list_files, read_file')
      expect(message).not.toContain('write_file')
    },
  )

  it('a name of 200,000 characters, without repeating it', () => {
    expect(refusal(write('k'.repeat(200_000), {}))).toContain(`unknown tool "${'k'.repeat(60)}…"`)
  })

  it.each(tools)('%s when it is not enabled, naming it and the enabled ones', tool => {
    const others = new Set(tools.filter(name => name !== tool))
    const message = refusal(write(tool, MINIMAL[tool]), others)
    expect(message).toContain(`the tool ${tool} is not enabled`)
    for (const other of others) expect(message).toContain(other)
    expect(refusal(write(tool, MINIMAL[tool]), new Set())).toContain('no tool is enabled')
  })

  it.each(requiredTexts)('%s without %s', (tool, field) => {
    const { [field]: _, ...rest } = MINIMAL[tool]
    expect(refusal(write(tool, rest))).toBe(`${tool}: "${field}" is missing`)
  })

  it.each(allTexts)('%s with a %s that is not a string', (tool, field) => {
    for (const value of [null, 0, true, [], ['a'], {}]) {
      expect(refusal(write(tool, { ...MINIMAL[tool], [field]: value }))).toBe(`${tool}: "${field}" must be a string`)
    }
  })

  it.each(allTexts)('%s with a lone surrogate in %s', (tool, field) => {
    for (const value of ['\ud800', '\udfff', 'a\ud83d', '\ude00\ud83d']) {
      expect(refusal(write(tool, { ...MINIMAL[tool], [field]: value }))).toContain(
        `${tool}: "${field}" has a lone surrogate`,
      )
    }
  })

  it('run_command without argv', () => {
    expect(refusal('{"tool":"run_command"}')).toBe('run_command: "argv" is missing')
  })

  it.each(['null', '0', '"ls"', '{}', '{"0":"ls","length":1}'])('run_command with the argv %s', argv => {
    expect(refusal(`{"tool":"run_command","argv":${argv}}`)).toBe('run_command: "argv" must be an array of strings')
  })

  it('run_command with an empty argv', () => {
    expect(refusal(write('run_command', { argv: [] }))).toBe('run_command: "argv" must not be empty')
  })

  it('run_command with a part that is empty or no string, naming which', () => {
    expect(refusal(write('run_command', { argv: ['a', ''] }))).toBe('run_command: "argv"[1] must not be empty')
    for (const part of [null, 1, ['a'], {}]) {
      expect(refusal(write('run_command', { argv: [part] }))).toBe('run_command: "argv"[0] must be a string')
    }
  })

  it('run_command with a lone surrogate in argv', () => {
    expect(refusal(write('run_command', { argv: ['a', '\udc00'] }))).toContain('"argv" has a lone surrogate')
  })

  const names = ['__proto__', 'constructor', 'toString', 'prototype', 'final_', 'Path', '', 'kind', 'arguments']
  it.each(tools.flatMap(tool => names.map(name => [tool, name] as const)))('%s with the field %j', (tool, name) => {
    for (const value of ['"a"', 'null', '{"path":"a"}']) {
      const response = write(tool, MINIMAL[tool]).replace(/\}$/, `,${JSON.stringify(name)}:${value}}`)
      expect(refusal(response)).toBe(`${tool}: unexpected field ${JSON.stringify(name)}`)
    }
  })

  it('fields that only a prototype would lend', () => {
    expect(refusal('{"__proto__":{"final":"x"}}')).toContain('"final"')
    expect(refusal('{"__proto__":{"tool":"list_files"}}')).toContain('"tool"')
    expect(refusal('{"tool":"read_file","__proto__":{"path":"a"}}')).toContain('read_file: ')
    expect(Object.hasOwn(Object.prototype, 'path')).toBe(false)
  })

  it('a field whose name has 200,000 characters, without repeating it', () => {
    const message = refusal(write('list_files', { ['k'.repeat(200_000)]: 'v' }))
    expect(message).toBe(`list_files: unexpected field "${'k'.repeat(60)}…"`)
  })

  it.each([
    ['100,000 brackets', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['50 million brackets that are never closed', '['.repeat(50_000_000)],
    ['100,000 objects in one another', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['100,000 brackets in a path', `{"tool":"read_file","path":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['65 brackets', `${'['.repeat(65)}${']'.repeat(65)}`],
  ])('%s, because no action is nested like that, without parsing them', (_name, response) => {
    expect(refusal(response)).toBe('the response is nested too deep to be an action')
  })

  it('brackets by their own fault up to 64 of them, and as many as there are in a text', () => {
    expect(refusal(`${'['.repeat(64)}${']'.repeat(64)}`)).toContain('must be one JSON object')
    const text = `"\\"${'[{'.repeat(1_000)}`
    const action = parseAction(JSON.stringify({ tool: 'write_file', path: 'a', content: text }))
    expect(action).toMatchObject({ arguments: { content: text } })
  })

  it.each(['null', '0', 'true', '[]', '{}', '["x"]'])('a final that is %s', final => {
    expect(refusal(`{"final":${final}}`)).toBe('"final" must be a string')
  })

  it.each(['', ' ', '\n\t', '\u0085', '\u00a0', '\u3000', '\u001c\u001d\u001e\u001f'])('the blank final %j', final => {
    expect(refusal(JSON.stringify({ final }))).toBe('"final" must not be blank')
  })

  it.each(['"tool":"list_files"', '"tool":null', '"x":1', '"":0', '"__proto__":null', '"constructor":1'])(
    'a final with %s beside it',
    field => {
      expect(refusal(`{"final":"x",${field}}`)).toContain('"final" must stand alone')
      expect(refusal(`{${field},"final":"x"}`)).toContain('"final" must stand alone')
    },
  )

  it('50 million characters of prose, and repeats little of it', () => {
    expect(refusal('x'.repeat(50_000_000))).toContain('exactly one JSON object')
  })

  it('what is no JSON, and keeps the reason as cause', () => {
    expect(catchThrown(() => parseAction('{'))).toMatchObject({ cause: expect.any(SyntaxError) })
  })
})

describe('createToolAction', () => {
  it.each(tools)('checks the fields of %s as parseAction does', tool => {
    expect(createToolAction(tool, MINIMAL[tool])).toStrictEqual(parseAction(write(tool, MINIMAL[tool])))
    expect(() => createToolAction(tool, { ...MINIMAL[tool], more: 1 })).toThrow(`${tool}: unexpected field "more"`)
    expect(() => createToolAction(tool, null)).toThrow(`${tool}: the arguments must be one object`)
  })

  it('copies what it is given', () => {
    const argv = ['a']
    const action = createToolAction('run_command', { argv })
    argv.push('b')
    expect(action.arguments).toStrictEqual({ argv: ['a'] })
  })
})

describe('isSameAction', () => {
  const read = (path: string): ToolAction => createToolAction('read_file', { path })
  const run = (...argv: string[]): ToolAction => createToolAction('run_command', { argv })

  it('does not look at the order of the keys', () => {
    const left = createToolAction('edit_file', { path: 'a', old: 'b', new: 'c' })
    const right = createToolAction('edit_file', { new: 'c', old: 'b', path: 'a' })
    expect(isSameAction(left, right)).toBe(true)
    expect(isSameAction(left, createToolAction('edit_file', { path: 'a', old: 'c', new: 'b' }))).toBe(false)
  })

  it('tells tools, paths and commands apart', () => {
    expect(isSameAction(read('a'), read('a'))).toBe(true)
    expect(isSameAction(read('a'), read('./a'))).toBe(false)
    expect(isSameAction(read('a'), createToolAction('list_files', { path: 'a' }))).toBe(false)
    expect(isSameAction(run('a', 'b'), run('a', 'b'))).toBe(true)
    expect(isSameAction(run('a', 'b'), run('b', 'a'))).toBe(false)
    expect(isSameAction(run('a'), run('a', 'b'))).toBe(false)
    expect(isSameAction(run('a', 'b'), run('a'))).toBe(false)
    expect(isSameAction(run('a b'), run('a', 'b'))).toBe(false)
  })

  it('takes list_files without a path and with "." for two requests', () => {
    const bare = createToolAction('list_files', {})
    expect(isSameAction(bare, createToolAction('list_files', {}))).toBe(true)
    expect(isSameAction(bare, createToolAction('list_files', { path: '.' }))).toBe(false)
    expect(isSameAction(createToolAction('list_files', { path: '.' }), bare)).toBe(false)
  })
})

describe('isToolName', () => {
  it('knows the tools and nothing else', () => {
    expect([...TOOL_NAMES].sort()).toEqual([...tools].sort())
    for (const name of TOOL_NAMES) expect(isToolName(name)).toBe(true)
    for (const name of ['', 'toString', '__proto__', 'constructor', 'final', 'hasOwnProperty', 0, null, undefined]) {
      expect(isToolName(name)).toBe(false)
    }
  })
})
