import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The names that a list of `export { … } from` hands out. Anything else in the text is refused: nothing goes unread. */
function readExports(text: string): { values: string[]; types: string[] } {
  const values: string[] = []
  const types: string[] = []
  const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
  const rest = code.replace(/export\s+(type\s+)?\{([^}]*)\}\s*from\s*(['"])[^'"]+\3;?/g, (_, isTypes, list: string) => {
    for (const entry of list.split(',').map(part => part.trim())) {
      const [, isType, name] = /^(type\s+)?(?:\w+\s+as\s+)?(\w+)$/.exec(entry) ?? []
      if (name !== undefined) (isTypes === undefined && isType === undefined ? values : types).push(name)
      else if (entry !== '') throw new Error(`not a name: ${entry}`)
    }
    return ''
  })
  if (rest.trim() !== '') throw new Error(`not a list of exports: ${rest.trim()}`)
  return { values: values.sort(), types: types.sort() }
}

/** Imports the package by its name in a Node of its own, and tells every file that was loaded and every name it has. */
async function importPackage(): Promise<{ loaded: readonly string[]; names: readonly string[] }> {
  // The hooks run in another thread; what they write goes straight to the file descriptor.
  const hooks = `import { writeSync } from 'node:fs'
    export const load = (url, context, nextLoad) => {
      writeSync(1, 'loaded ' + url + '\\n')
      return nextLoad(url, context)
    }`
  const script = `import { register } from 'node:module'
    register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hooks)}`)})
    const names = Object.keys(await import('safepoint'))
    process.stdout.write(names.map(name => 'name ' + name + '\\n').join(''))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: root,
  })
  const lines = stdout.split('\n')
  const pick = (prefix: string): string[] =>
    lines.filter(line => line.startsWith(prefix)).map(line => line.slice(prefix.length))
  return { loaded: pick('loaded '), names: pick('name ') }
}

describe('the built package', () => {
  let loaded: readonly string[]
  let names: readonly string[]
  const listed = readExports(readFileSync(new URL('../src/index.ts', import.meta.url), 'utf8'))

  beforeAll(async () => {
    if (!existsSync(new URL('../dist/src/index.js', import.meta.url))) {
      throw new Error('dist/ is not built: run `npm run build` first (`npm test` does)')
    }
    ;({ loaded, names } = await importPackage())
  })

  it('loads its own files when it is imported by its name', () => {
    const own = loaded.filter(url => url.startsWith(new URL('../dist/', import.meta.url).href))
    expect(own).toContain(new URL('../dist/src/index.js', import.meta.url).href)
    expect(own.length).toBeGreaterThan(5)
  })

  it('loads nothing of the command line', () => {
    expect(loaded.filter(url => /\/cli\/|\/inspector\/|\/(commander|picocolors)\//.test(url))).toEqual([])
  })

  it('exports the names that src/index.ts lists, and no others', () => {
    expect(listed.values.length).toBeGreaterThan(5)
    expect([...names].sort()).toEqual(listed.values)
  })

  it('declares the types that src/index.ts lists, and no others', () => {
    expect(listed.types.length).toBeGreaterThan(5)
    expect(readExports(readFileSync(new URL('../dist/src/index.d.ts', import.meta.url), 'utf8'))).toEqual(listed)
  })

  it('has every file that package.json points at', () => {
    const { exports, bin } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as Manifest
    const targets = [exports, bin].flatMap(listTargets)
    expect(targets.length).toBeGreaterThan(2)
    expect(targets.filter(target => !existsSync(new URL(`../${target}`, import.meta.url)))).toEqual([])
  })
})

describe('the reader of exports', () => {
  it('tells types from values, and knows names that were changed', () => {
    const text = "// a\nexport { a, type B, c as d } from './a.js'\nexport type { E } from './e.js'\n"
    expect(readExports(text)).toEqual({ values: ['a', 'd'], types: ['B', 'E'] })
  })

  it.each(["export * from './a.js'", 'export const a = 1', "import './a.js'"])('refuses %s', text => {
    expect(() => readExports(text)).toThrow('not a list of exports')
  })
})

interface Manifest {
  readonly exports: unknown
  readonly bin: unknown
}

function listTargets(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listTargets) : []
}
