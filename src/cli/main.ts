#!/usr/bin/env node
import { createRequire } from 'node:module'

import { Command } from 'commander'

import { demo } from './demo.js'

const interrupted = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => interrupted.abort(new Error(`interrupted by ${name}`)))
}
const outputClosed = new Error('the output was closed')
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  interrupted.abort(outputClosed)
})

const { version } = createRequire(import.meta.url)('../../../package.json') as { version: string }
const program = new Command('safepoint')
  .description('A coding-agent loop with one safe place to checkpoint.')
  .version(version)

program
  .command('demo')
  .description('run a small project to its boundary, resume it with a fresh model, and show the evidence')
  .option('--json', 'print one JSON object a line', false)
  .action(async (options: { json: boolean }) => {
    const holds = await demo(options, text => process.stdout.write(text), interrupted.signal)
    if (!holds) process.exitCode = 1
  })

try {
  await program.parseAsync()
} catch (error) {
  // A reader that goes away, as in `safepoint demo | head -1`, needs no telling.
  if (error !== outputClosed) console.error(`safepoint: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}
