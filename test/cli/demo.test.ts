import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createReceipt, type EffectReceipt } from 'safepoint'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import type { DemoEvent } from '../../src/cli/demo-events.js'
import { gatherEvidence, type Tally } from '../../src/cli/demo-evidence.js'
import { MENDED } from '../../src/cli/demo-project.js'

const main = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url))

interface Finished {
  readonly status: number | null
  readonly output: string
  readonly errors: string
}

let scratch: string

beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'safepoint-test-'))
})

afterEach(async () => {
  await rm(scratch, { recursive: true, force: true })
})

/** Runs the built command with a temporary directory of its own. */
function start(parameters: readonly string[], environment: NodeJS.ProcessEnv = {}): ReturnType<typeof spawn> {
  const { FORCE_COLOR: _, NO_COLOR: __, NODE_TEST_CONTEXT: ___, ...inherited } = process.env
  return spawn(process.execPath, [main, ...parameters], { env: { ...inherited, TMPDIR: scratch, ...environment } })
}

async function run(parameters: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<Finished> {
  const child = start(parameters, environment)
  let output = ''
  let errors = ''
  child.stdout?.on('data', chunk => (output += String(chunk)))
  child.stderr?.on('data', chunk => (errors += String(chunk)))
  const [status] = (await once(child, 'close')) as [number | null]
  return { status, output, errors }
}

describe('safepoint demo', () => {
  test('stops at the boundary, goes on with a fresh model, and exits with 0 because the evidence holds', async () => {
    const { status, output, errors } = await run(['demo'])
    expect(errors).toBe('')
    expect(status).toBe(0)
    const story = [
      'status: 1, before the run',
      'read_file total.js',
      'edit_file total.js',
      'run_command node --test',
      'status: 0',
      '3 of 3 tool calls: the gate opens',
      '━━ boundary ━━',
      'token ids',
      'fresh model       a new object',
      'maybeCheckpoint.restored',
      'answers',
      'permission bits 755',
      'The evidence holds',
    ]
    const places = story.map(part => output.indexOf(part))
    expect(places).not.toContain(-1)
    expect(places).toEqual([...places].sort((a, b) => a - b))
  })

  test('leaves nothing in the temporary directory', async () => {
    await run(['demo'])
    expect(await readdir(scratch)).toEqual([])
  })

  test('prints no colours into a pipe, and none under NO_COLOR even when they are forced', async () => {
    const marker = String.fromCharCode(27)
    expect((await run(['demo'])).output).not.toContain(marker)
    expect((await run(['demo'], { FORCE_COLOR: '1' })).output).toContain(marker)
    expect((await run(['demo'], { FORCE_COLOR: '1', NO_COLOR: '1' })).output).not.toContain(marker)
  })

  test('with --json prints one JSON object a line: the story, the checkpoint and the evidence', async () => {
    const { status, output } = await run(['demo', '--json'])
    expect(status).toBe(0)
    const events = output
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as DemoEvent)
    const states = events.flatMap(event => (event.type === 'state' ? [event.state] : []))
    const step = ['awaitModel', 'executeTool', 'appendObservation', 'maybeCheckpoint.boundary']
    const resumed = ['maybeCheckpoint.restored', 'awaitModel', 'done']
    expect(states).toEqual([...step, ...step, ...step, 'maybeCheckpoint.saving', 'done', ...resumed])
    expect(events.filter(event => event.type === 'approval')).toHaveLength(2)
    expect(events.filter(event => event.type === 'receipt')).toHaveLength(2)
    const checkpoint = events.find(event => event.type === 'checkpoint')?.checkpoint
    expect(checkpoint?.model).toMatchObject({ conversationPosition: 8, responseIndex: 3, layerOffsets: [8, 8] })
    expect(events.at(-1)).toEqual({ type: 'result', holds: true })
  })

  test('exits with 1 and names the command when it cannot be started', async () => {
    const { status, errors } = await run(['demo'], { PATH: join(scratch, 'nothing-here') })
    expect(status).toBe(1)
    expect(errors).toContain('node')
    expect(await readdir(scratch)).toEqual([])
  })

  test('an interrupt ends it with 1 and leaves nothing', async () => {
    const child = start(['demo', '--json'])
    let errors = ''
    child.stderr?.on('data', chunk => (errors += String(chunk)))
    child.stdout?.once('data', () => child.kill('SIGINT'))
    const [status] = await once(child, 'close')
    expect(status).toBe(1)
    expect(errors).toContain('SIGINT')
    expect(await readdir(scratch)).toEqual([])
  })

  test('a reader that goes away ends it without a word', async () => {
    const child = start(['demo', '--json'])
    let errors = ''
    child.stderr?.on('data', chunk => (errors += String(chunk)))
    child.stdout?.once('data', () => child.stdout?.destroy())
    const [status] = await once(child, 'close')
    expect([status, errors]).toEqual([1, ''])
    expect(await readdir(scratch)).toEqual([])
  })
})

describe('the command line', () => {
  test('says its version and its commands', async () => {
    expect((await run(['--version'])).output).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect((await run(['--help'])).output).toContain('demo')
  })

  test.for([['bogus'], ['demo', '--bogus'], ['demo', 'more']])('refuses %s', async parameters => {
    const { status, output, errors } = await run(parameters)
    expect([status, output]).toEqual([1, ''])
    expect(errors).toMatch(/^error: /)
  })
})

describe('the evidence', () => {
  const receiptOf = (exitState: 'ok' | 'error'): EffectReceipt =>
    createReceipt({
      toolCallId: 'call-1',
      tool: 'run_command',
      arguments: { argv: ['node'] },
      exitState,
      result: 'status: 0\noutput:\n',
      changedArtifacts: [],
    })
  const good = receiptOf('ok')
  const tally: Tally = { approvals: 1, receipts: [good], executions: new Map([['run_command', 1]]) }
  const file = { path: MENDED.path, mode: '755', content: MENDED.content }
  const finished = { completed: true, reason: 'completed', final: 'x', events: [], modifiedFiles: [] } as const

  test('holds when nothing changed after the boundary', () => {
    expect(gatherEvidence(tally, tally, file, finished).filter(item => !item.holds)).toEqual([])
  })

  test.for<[string, () => ReturnType<typeof gatherEvidence>]>([
    ['approvals asked for', () => gatherEvidence(tally, { ...tally, approvals: 2 }, file, finished)],
    ['receipts', () => gatherEvidence({ ...tally, receipts: [] }, tally, file, finished)],
    [
      'receipt call-1, run_command',
      () => gatherEvidence(tally, { ...tally, receipts: [receiptOf('error')] }, file, finished),
    ],
    [
      'run_command executed',
      () => gatherEvidence(tally, { ...tally, executions: new Map([['run_command', 2]]) }, file, finished),
    ],
    [`content of ${MENDED.path}`, () => gatherEvidence(tally, tally, { ...file, content: 'x' }, finished)],
    [`permission bits of ${MENDED.path}`, () => gatherEvidence(tally, tally, { ...file, mode: '644' }, finished)],
    [
      'the test',
      () => {
        const failed = { ...tally, receipts: [receiptOf('error')] }
        return gatherEvidence(failed, failed, file, finished)
      },
    ],
    ['the run', () => gatherEvidence(tally, tally, file, { ...finished, completed: false, reason: 'step_limit' })],
  ])('does not hold when it is untrue: %s', ([name, gather]) => {
    expect(gather().find(item => item.name === name)?.holds).toBe(false)
  })
})
