// Renews the statechart in the README. Needs a build; `npm run diagram` makes one.
import { readFile, writeFile } from 'node:fs/promises'

import { agentMachine } from '../dist/src/index.js'
import { toStateDiagram } from './state-diagram.mjs'

const readme = new URL('../README.md', import.meta.url)
const text = await readFile(readme, 'utf8')
const block = /(```mermaid\n)[\s\S]*?(```)/
if (!block.test(text)) throw new Error('README.md has no mermaid block to renew.')
await writeFile(
  readme,
  text.replace(block, (_, open, close) => `${open}${toStateDiagram(agentMachine.root)}${close}`),
)
