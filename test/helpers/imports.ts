import { readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'vite'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** One source file: its path from the root with forward slashes, and its text. */
export interface SourceFile {
  readonly path: string
  readonly text: string
}

/** Every source file under a folder of the project, sorted; none when the folder does not exist. */
export function readSources(folder: string): readonly SourceFile[] {
  let names: string[]
  try {
    names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
  } catch {
    return []
  }
  const paths = names.map(name => posix.join(folder, name.replaceAll('\\', '/')))
  return paths
    .filter(path => /\.(m?[jt]s|tsx|css)$/.test(path) && !path.includes('node_modules/'))
    .sort()
    .map(path => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

/**
 * What a file imports, as it is written: import and export declarations, types included, `import()` of a text, import
 * types, and `import … = require()`. An `import()` of something else than a text is `COMPUTED`.
 *
 * @throws Error when the file cannot be parsed.
 */
export function readImports(file: SourceFile): readonly string[] {
  if (file.path.endsWith('.css')) return []
  const { program, errors } = parseSync(file.path, file.text)
  if (errors.length > 0) throw new Error(`${file.path} cannot be parsed: ${errors[0]?.message}`)
  const found: string[] = []
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { type, source, expression } = node as { type?: unknown; source?: unknown; expression?: unknown }
    if (typeof type === 'string' && IMPORTING.has(type)) {
      const specifier = ((type === 'TSExternalModuleReference' ? expression : source) as { value?: unknown } | null)
        ?.value
      if (typeof specifier === 'string') found.push(specifier)
      else if (type === 'ImportExpression') found.push(COMPUTED)
    }
    for (const child of Object.values(node)) visit(child)
  }
  visit(program)
  return found
}

/** Stands for a specifier that only a run can tell. */
export const COMPUTED = '(computed)'

const IMPORTING: ReadonlySet<string> = new Set([
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSImportType',
  'TSExternalModuleReference',
])

/** The project file that a relative specifier means, or the public entry for the package's own name; else `undefined`. */
export function resolveImport(from: string, specifier: string): string | undefined {
  if (specifier === 'safepoint') return 'src/index.ts'
  if (!specifier.startsWith('.')) return undefined
  return posix.join(posix.dirname(from), specifier).replace(/\.(m?)js$/, '.$1ts')
}

/** Whether a specifier names a module of Node, with or without `node:`. */
export function isNodeModule(specifier: string): boolean {
  return isBuiltin(specifier)
}
