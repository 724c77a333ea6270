import { describe, expect, it } from 'vitest'
import { COMPUTED, isNodeModule, readImports, readSources, resolveImport, type SourceFile } from './helpers/imports.js'

const sources = readSources('src')
const inspector = readSources('inspector')

const FOUNDATION = ['errors', 'unicode', 'canonical-json']
const BELOW_PORTS = ['conversation', 'checkpoint']
const COLLABORATORS = ['machine', 'model', 'workspace']

/** What each part of `src/` may import beside itself. A part that is not named here may not exist. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(FOUNDATION.map(part => [part, FOUNDATION])),
  ...Object.fromEntries(BELOW_PORTS.map(part => [part, [...FOUNDATION, ...BELOW_PORTS]])),
  ports: [...FOUNDATION, ...BELOW_PORTS],
  ...Object.fromEntries(COLLABORATORS.map(part => [part, [...FOUNDATION, ...BELOW_PORTS, 'ports']])),
  index: [...FOUNDATION, ...BELOW_PORTS, 'ports', ...COLLABORATORS],
  cli: [...FOUNDATION, ...BELOW_PORTS, 'ports', ...COLLABORATORS, 'index', 'inspector'],
}

const WITHOUT_NODE = ['conversation', 'machine']
const MOST_LINES = 250
const MEDIAN_LINES = 100

/** The part of the house that a file belongs to: a folder or a file of `src/`, or `inspector`. */
function partOf(path: string): string {
  const [top, next = ''] = path.split('/')
  return top === 'src' ? next.replace(/\.ts$/, '') : String(top)
}

/** Every import that breaks the rules of the house, as a sentence. */
function findForbiddenImports(files: readonly SourceFile[]): string[] {
  return files.flatMap(file => readImports(file).flatMap(specifier => judgeImport(file.path, specifier)))
}

function judgeImport(from: string, specifier: string): string[] {
  const part = partOf(from)
  const target = resolveImport(from, specifier)
  if (part === 'inspector') return judgeInspectorImport(from, specifier, target)
  if (specifier === COMPUTED) return part === 'cli' ? [] : [`${from} imports what only a run can tell`]
  if (target === undefined) {
    const isForbidden = WITHOUT_NODE.includes(part) && isNodeModule(specifier)
    return isForbidden ? [`${from} imports ${specifier} of Node`] : []
  }
  const targetPart = partOf(target)
  const isAllowed = targetPart === part || (MAY_IMPORT[part] ?? []).includes(targetPart)
  return isAllowed ? [] : [`${from} imports ${target}`]
}

function judgeInspectorImport(from: string, specifier: string, target: string | undefined): string[] {
  const isOutside = target !== undefined && specifier !== 'safepoint' && !target.startsWith('inspector/')
  return isOutside ? [`${from} imports ${target}, not the public package`] : []
}

/** Every cycle of imports, found from its first file on. */
function findCycles(files: readonly SourceFile[]): string[] {
  const graph = new Map(files.map(file => [file.path.replace(/\.tsx$/, '.ts'), readTargets(file)]))
  const cycles: string[] = []
  const finished = new Set<string>()
  const walk = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '))
    if (trail.includes(path) || finished.has(path)) return
    for (const target of graph.get(path) ?? []) walk(target, [...trail, path])
    finished.add(path)
  }
  for (const path of graph.keys()) walk(path, [])
  return cycles
}

function readTargets(file: SourceFile): readonly string[] {
  return readImports(file).flatMap(specifier => resolveImport(file.path, specifier) ?? [])
}

function countLines(file: SourceFile): number {
  return file.text.replace(/\n$/, '').split('\n').length
}

describe('the house plan', () => {
  it('has sources to hold its rules against', () => {
    expect(sources.map(file => file.path)).toEqual(expect.arrayContaining(['src/index.ts', 'src/errors.ts']))
    expect(sources.flatMap(readTargets).length).toBeGreaterThan(sources.length)
  })

  it('knows every part of src', () => {
    const unknown = sources.filter(file => !Object.hasOwn(MAY_IMPORT, partOf(file.path)))
    expect(unknown.map(file => file.path)).toEqual([])
  })

  it('lets imports point one way only', () => {
    expect(findForbiddenImports([...sources, ...inspector])).toEqual([])
  })

  it('imports only files that exist', () => {
    const paths = new Set([...sources, ...inspector].map(file => file.path))
    const missing = sources.flatMap(file => readTargets(file).filter(target => !paths.has(target)))
    expect(missing).toEqual([])
  })

  it('has no cycle of imports, those of types included', () => {
    expect(findCycles([...sources, ...inspector])).toEqual([])
  })

  it('has one index file in src, the public one', () => {
    const indexes = sources.filter(file => /(^|\/)index\.\w+$/.test(file.path))
    expect(indexes.map(file => file.path)).toEqual(['src/index.ts'])
  })

  it(`has no file of more than ${MOST_LINES} lines`, () => {
    const long = [...sources, ...inspector].filter(file => countLines(file) > MOST_LINES)
    expect(long.map(file => `${file.path}: ${countLines(file)}`)).toEqual([])
  })

  it(`has files of at most ${MEDIAN_LINES} lines in the median`, () => {
    const lengths = [...sources, ...inspector].map(countLines).sort((a, b) => a - b)
    expect(lengths[Math.floor(lengths.length / 2)]).toBeLessThanOrEqual(MEDIAN_LINES)
  })
})

describe('the rules themselves', () => {
  const forbidden: readonly (readonly [path: string, text: string, sentence: string])[] = [
    ['src/errors.ts', "import { a } from './ports.js'", 'src/errors.ts imports src/ports.ts'],
    ['src/unicode.ts', "export * from './conversation/action.js'", 'src/unicode.ts imports src/conversation/action.ts'],
    ['src/conversation/a.ts', "import type { A } from '../ports.js'", 'src/conversation/a.ts imports src/ports.ts'],
    ['src/conversation/a.ts', "import 'node:fs'", 'src/conversation/a.ts imports node:fs of Node'],
    ['src/machine/a.ts', "import { readFile } from 'fs/promises'", 'src/machine/a.ts imports fs/promises of Node'],
    ['src/machine/a.ts', "const b = await import('../model/b.js')", 'src/machine/a.ts imports src/model/b.ts'],
    ['src/machine/a.ts', "import '../index.js'", 'src/machine/a.ts imports src/index.ts'],
    ['src/machine/a.ts', "import 'safepoint'", 'src/machine/a.ts imports src/index.ts'],
    ['src/model/a.ts', "export type { B } from '../machine/b.js'", 'src/model/a.ts imports src/machine/b.ts'],
    ['src/workspace/a.ts', "type B = import('../model/b.js').B", 'src/workspace/a.ts imports src/model/b.ts'],
    ['src/ports.ts', "export { a } from './workspace/a.js'", 'src/ports.ts imports src/workspace/a.ts'],
    ['src/index.ts', "export { a } from './cli/main.js'", 'src/index.ts imports src/cli/main.ts'],
    ['src/model/a.ts', 'await import(name)', 'src/model/a.ts imports what only a run can tell'],
    ['src/model/a.ts', "import '../../inspector/a.js'", 'src/model/a.ts imports inspector/a.ts'],
    [
      'inspector/server/a.ts',
      "import '../../src/errors.js'",
      'inspector/server/a.ts imports src/errors.ts, not the public package',
    ],
  ]

  it.each(forbidden)('forbid that %s says %s', (path, text, sentence) => {
    expect(findForbiddenImports([{ path, text }])).toEqual([sentence])
  })

  it.each([
    ['src/machine/a.ts', "import '../ports.js'; import './b.js'; import 'xstate'"],
    ['src/workspace/a.ts', "import 'node:fs'; import '../canonical-json.js'"],
    ['src/cli/main.ts', "import '../index.js'; await import('../../inspector/server/a.js'); await import(name)"],
    ['inspector/page/a.tsx', "import 'safepoint'; import './b.js'; import '../shared.js'; import 'preact'"],
    ['src/machine/a.ts', "// import '../model/b.js'\nconst text = \"import '../model/b.js'\""],
  ])('allow that %s says %s', (path, text) => {
    expect(findForbiddenImports([{ path, text }])).toEqual([])
  })

  it('find a cycle, and none where there is none', () => {
    const a = { path: 'src/model/a.ts', text: "import './b.js'" }
    const b = { path: 'src/model/b.ts', text: "import type { C } from './c.js'" }
    const c = { path: 'src/model/c.ts', text: "import './a.js'" }
    expect(findCycles([a, b, c])).toEqual(['src/model/a.ts → src/model/b.ts → src/model/c.ts → src/model/a.ts'])
    expect(findCycles([a, b])).toEqual([])
  })
})
