import { readFileSync } from 'node:fs'
import * as safepoint from 'safepoint'
import { agentMachine, ERROR_CODES } from 'safepoint'
import { describe, expect, test } from 'vitest'

import { toStateDiagram } from '../scripts/state-diagram.mjs'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

/** The first block of code of a language, below a heading. */
function block(language: string, heading: string): string {
  const section = readme.slice(readme.indexOf(`\n## ${heading}\n`))
  return new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(section)?.[1] ?? ''
}

describe('the README', () => {
  test('shows the statechart as the machine is (renew it with npm run diagram)', () => {
    expect(block('mermaid', 'The machine')).toBe(toStateDiagram(agentMachine.root))
  })

  test('has an example of at most fifteen lines that runs as it stands', async () => {
    const example = block('ts', 'Use it')
    expect(example.trimEnd().split('\n').length).toBeLessThanOrEqual(15)
    // The one import names the package; all else runs to the letter.
    const [, names] = /^import \{ (.+) \} from 'safepoint'\n/.exec(example) ?? []
    expect(names).toBeDefined()
    const body = example.slice(example.indexOf('\n') + 1).replaceAll('console.log', 'print')
    const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor as new (
      ...parameters: string[]
    ) => (library: unknown, print: (value: unknown) => void) => Promise<void>
    const printed: unknown[] = []
    await new AsyncFunction('safepoint', 'print', `const { ${names} } = safepoint\n${body}`)(safepoint, value =>
      printed.push(value),
    )
    const comments = [...example.matchAll(/console\.log\(.*\) \/\/ (.+)$/gm)].map(([, comment]) => comment)
    expect(comments.length).toBeGreaterThan(0)
    expect(printed.map(String)).toEqual(comments)
  })

  test('lists every error code with its meaning', () => {
    const rows = [...readme.matchAll(/^\| `(\w+)` \| (.+) \|$/gm)].map(([, code, meaning]) => [code, meaning])
    expect(Object.fromEntries(rows)).toMatchObject(ERROR_CODES)
  })

  test('lists every function and class that the package exports', () => {
    for (const name of Object.keys(safepoint)) expect(readme).toContain(`\`${name}`)
  })
})
