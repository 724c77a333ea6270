#!/usr/bin/env node
import { createRequire } from 'node:module'

import { Command, InvalidArgumentError } from 'commander'

import { type DemoOptions, demo } from './demo.js'
import { type InspectCommandOptions, inspectDemo, inspectTrace } from './inspect.js'
import { createInspectText } from './inspect-text.js'

const interrupted = new AbortController()
// A second signal changes nothing: what is under way is being ended, and its temporary files removed.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => interrupted.abort(new Error(`interrupted by ${name}`)))
}
const outputClosed = new Error('the output was closed')
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  interrupted.abort(error.code === 'EPIPE' ? outputClosed : error)
})

const write = (text: string): void => void process.stdout.write(text)
const log = (line: string): void => console.error(`safepoint: ${line}`)

const { version } = createRequire(import.meta.url)('../../../package.json') as { version: string }
const program = new Command('safepoint')
  .description('A coding-agent loop with one safe place to checkpoint.')
  .version(version)

program
  .command('demo')
  .description('run a small project to its boundary, resume it with a fresh model, and show the evidence')
  .option('--json', 'print one JSON object a line', false)
  .option('--inspect', 'show the run in a browser, and control it from there', false)
  .option('--no-open', 'with --inspect: print the URL, open no browser')
  .option('--port <number>', 'with --inspect: the port on 127.0.0.1 (any free one)', readPort, 0)
  .option('--report <file>', 'write the run as one HTML file that needs no server')
  .option('--trace <file>', 'write the inspection events, one JSON object a line')
  .action(async (options: DemoOptions) => {
    const holds = await demo(options, { write, log }, interrupted.signal)
    if (!holds) process.exitCode = 1
  })

program
  .command('inspect')
  .description('show a run in a browser: the demonstration, live and under your control, or a trace')
  .argument('[file]', 'a trace that --trace has written')
  .option('--no-open', 'print the URL, open no browser')
  .option('--port <number>', 'the port on 127.0.0.1 (any free one)', readPort, 0)
  .option('--report <file>', 'write the run as one HTML file that needs no server, when it has ended')
  .option('--trace <file>', 'write the inspection events, one JSON object a line')
  .action(async (file: string | undefined, options: InspectCommandOptions) => {
    const describe = createInspectText(file === undefined)
    const output = { report: (event: Parameters<typeof describe>[0]) => write(describe(event)), log }
    if (file !== undefined) return inspectTrace(file, options, output, interrupted.signal)
    const holds = await inspectDemo(options, output, interrupted.signal)
    if (!holds) process.exitCode = 1
  })

try {
  await program.parseAsync()
} catch (error) {
  // A reader that goes away, as in `safepoint demo | head -1`, needs no telling.
  if (error !== outputClosed) console.error(`safepoint: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}

function readPort(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new InvalidArgumentError('It must be a number from 0 to 65535.')
}
