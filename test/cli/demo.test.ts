import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createReceipt, type EffectReceipt } from 'safepoint'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import { chooseColors } from '../../src/cli/colors.js'
import type { DemoEvent } from '../../src/cli/demo-events.js'
import { gatherEvidence, type Moment } from '../../src/cli/demo-evidence.js'
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
  const { CI: _, FORCE_COLOR: __, NO_COLOR: ___, NODE_TEST_CONTEXT: ____, ...inherited } = process.env
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
    const environments = [{}, { CI: 'true' }, { FORCE_COLOR: '0' }, { FORCE_COLOR: '1', NO_COLOR: '1' }]
    for (const environment of environments) expect((await run(['demo'], environment)).output).not.toContain(marker)
    expect((await run(['demo'], { FORCE_COLOR: '1' })).output).toContain(marker)
  })

  test('has colours for a terminal that is not dumb', () => {
    const isColored = (environment: NodeJS.ProcessEnv, isTTY: boolean): boolean =>
      chooseColors(environment, { isTTY }).isColorSupported
    expect([isColored({}, true), isColored({ TERM: 'dumb' }, true), isColored({}, false)]).toEqual([true, false, false])
    expect(isColored({ NO_COLOR: '1', FORCE_COLOR: '1' }, true)).toBe(false)
  })

  test('ends with 1 and leaves nothing when its output cannot be written', async () => {
    const full = await open('/dev/full', 'w')
    const child = spawn(process.execPath, [main, 'demo'], {
      env: { ...process.env, TMPDIR: scratch },
      stdio: ['ignore', full.fd, 'pipe'],
    })
    let errors = ''
    child.stderr?.on('data', chunk => (errors += String(chunk)))
    const [status] = await once(child, 'close')
    await full.close()
    expect([status, errors]).toEqual([1, expect.stringMatching(/^safepoint: .*ENOSPC/)])
    expect(errors).not.toContain('    at ')
    expect(await readdir(scratch)).toEqual([])
  })

  test.for<[NodeJS.Signals, number]>([
    ['SIGINT', 2],
    ['SIGTERM', 1],
    ['SIGHUP', 1],
  ])('%s, sent %i times as soon as it has begun, ends it with 1 and leaves nothing', async ([signal, times]) => {
    const child = start(['demo', '--json'])
    let errors = ''
    child.stderr?.on('data', chunk => (errors += String(chunk)))
    await vi.waitUntil(async () => (await readdir(scratch)).length > 0, { timeout: 10_000, interval: 5 })
    for (let sent = 0; sent < times; sent += 1) child.kill(signal)
    const [status] = await once(child, 'close')
    expect([status, errors]).toEqual([1, `safepoint: interrupted by ${signal}\n`])
    expect(await readdir(scratch)).toEqual([])
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

type Evidence = ReturnType<typeof gatherEvidence>

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
  const file = { path: MENDED.path, mode: '755', content: MENDED.content }
  const moment: Moment = { approvals: 1, receipts: [good], executions: new Map([['run_command', 1]]), file }
  const finished = { completed: true, reason: 'completed', final: 'x', events: [], modifiedFiles: [] } as const
  const gather = (atEnd: Partial<Moment>, atBoundary: Partial<Moment> = {}, testBefore = 'status: 1'): Evidence =>
    gatherEvidence(testBefore, { ...moment, ...atBoundary }, { ...moment, ...atEnd }, finished)

  test('holds when nothing changed after the boundary', () => {
    expect(gather({}).filter(item => !item.holds)).toEqual([])
  })

  test.for<[string, () => Evidence]>([
    ['approvals asked for', () => gather({ approvals: 2 })],
    ['receipts', () => gather({}, { receipts: [] })],
    ['receipt call-1, run_command', () => gather({ receipts: [receiptOf('error')] })],
    ['run_command executed', () => gather({ executions: new Map([['run_command', 2]]) })],
    [`content of ${MENDED.path}`, () => gather({ file: { ...file, content: 'x' } })],
    [`content of ${MENDED.path}`, () => gather({}, { file: { ...file, content: 'x' } })],
    [`permission bits of ${MENDED.path}`, () => gather({ file: { ...file, mode: '644' } })],
    [`permission bits of ${MENDED.path}`, () => gather({}, { file: undefined })],
    ['the test', () => gather({ receipts: [receiptOf('error')] }, { receipts: [receiptOf('error')] })],
    ['the test', () => gather({}, {}, 'status: 0')],
    ['the run', () => gatherEvidence('status: 1', moment, moment, { ...finished, completed: false })],
  ])('does not hold when it is untrue: %s', ([name, gatherFalse]) => {
    expect(gatherFalse().find(item => item.name === name)?.holds).toBe(false)
  })
})
