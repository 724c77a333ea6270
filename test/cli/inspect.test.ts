import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import type { DemoEvent } from '../../src/cli/demo-events.js'
import { canOpenBrowser } from '../../src/cli/open-browser.js'
import { openPage } from '../inspector/helpers/inspected.js'

const main = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url))

let scratch: string
let files: string
let children: ChildProcess[]

beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'safepoint-test-'))
  files = await mkdtemp(join(tmpdir(), 'safepoint-test-'))
  children = []
})

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  await rm(scratch, { recursive: true, force: true })
  await rm(files, { recursive: true, force: true })
})

interface Started {
  readonly child: ChildProcess
  readonly output: () => string
  readonly errors: () => string
  /** Resolves with its exit status. */
  readonly closed: Promise<number | null>
  /** Resolves with the URL once it is printed. */
  readonly url: () => Promise<string>
}

/** Runs the built command with a temporary directory of its own and no screen. */
function start(parameters: readonly string[], environment: NodeJS.ProcessEnv = {}): Started {
  const { FORCE_COLOR: _, NODE_TEST_CONTEXT: __, DISPLAY: ___, WAYLAND_DISPLAY: ____, ...inherited } = process.env
  const child = spawn(process.execPath, [main, ...parameters], {
    env: { ...inherited, TMPDIR: scratch, ...environment },
  })
  children.push(child)
  let output = ''
  let errors = ''
  child.stdout?.on('data', chunk => (output += String(chunk)))
  child.stderr?.on('data', chunk => (errors += String(chunk)))
  const url = async (): Promise<string> => {
    for (let round = 0; round < 200; round += 1) {
      const [found] = /http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{43}/.exec(output) ?? []
      if (found !== undefined) return found
      await new Promise(resolve => setTimeout(resolve, 50))
    }
    throw new Error(`no URL was printed: ${output}${errors}`)
  }
  const closed = once(child, 'close').then(([status]) => status as number | null)
  return { child, output: () => output, errors: () => errors, closed, url }
}

describe('safepoint inspect', () => {
  test('shows the demonstration: paused at first, approved in the page, resumed by it, and ended by Ctrl-C with 0', async () => {
    const { child, url, closed, errors, output } = start(['inspect'])
    const page = await openPage(await url())
    await page.phase('paused')
    page.control({ type: 'continue' })
    expect((await page.approve()).context.pending?.diff?.text).toContain(
      '-  return prices.reduce((sum, price) => sum - price, 0)',
    )
    expect((await page.approve()).context.pending?.argv).toEqual(['node', '--test'])
    await page.phase('boundary')
    page.control({ type: 'resume' })
    const { context } = await page.phase('completed')
    expect(context.now).toEqual(context.atBoundary)
    expect(context.now).toMatchObject({ approvals: 2, receiptCount: 2 })
    child.kill('SIGINT')
    expect([await closed, errors()]).toEqual([0, ''])
    expect(output()).not.toContain('evidence')
    expect(await readdir(scratch)).toEqual([])
  })

  test.for(['SIGINT', 'SIGTERM'] as const)(
    'ended by %s before the run has ended exits with 1 and leaves nothing',
    async signal => {
      const { child, url, closed, errors } = start(['inspect'])
      const page = await openPage(await url())
      await page.phase('paused')
      expect(await readdir(scratch)).toHaveLength(1)
      child.kill(signal)
      expect([await closed, errors()]).toEqual([1, `safepoint: interrupted by ${signal}\n`])
      expect(await readdir(scratch)).toEqual([])
    },
  )

  test('with a run that was denied in the page exits with 1: its evidence does not hold', async () => {
    const { child, url, closed } = start(['inspect'])
    const page = await openPage(await url())
    await page.phase('paused')
    page.control({ type: 'continue' })
    const { context } = await page.phase('approval')
    page.control({ type: 'deny', id: context.pending?.id ?? 0 })
    await page.until(snapshot => snapshot.context.pending?.tool === 'run_command')
    await page.approve()
    await page.phase('boundary')
    page.control({ type: 'resume' })
    await page.phase('completed')
    child.kill('SIGINT')
    expect(await closed).toBe(1)
  })

  test('writes a trace and a report of what was seen, and shows the trace again', async () => {
    const [trace, report] = [join(files, 'run.jsonl'), join(files, 'run.html')]
    const first = start(['inspect', '--trace', trace, '--report', report])
    const page = await openPage(await first.url())
    await page.phase('paused')
    page.control({ type: 'abort' })
    await page.phase('aborted')
    first.child.kill('SIGINT')
    expect(await first.closed).toBe(1)
    expect(await readFile(report, 'utf8')).toContain('id="saved-run"')

    const again = start(['inspect', trace])
    const second = await openPage(await again.url())
    expect((await second.phase('aborted')).context.controllable).toBe(false)
    again.child.kill('SIGINT')
    expect(await again.closed).toBe(0)
  })

  test.for<[string, string[], string]>([
    ['a port that is none', ['--port', 'x'], 'from 0 to 65535'],
    ['a port that is too large', ['--port', '70000'], 'from 0 to 65535'],
    ['a trace that is not there', ['missing.jsonl'], 'missing.jsonl'],
    ['an unknown option', ['--bogus'], 'unknown option'],
  ])('refuses %s', async ([, parameters, message]) => {
    const { closed, errors, output } = start(['inspect', ...parameters])
    expect(await closed).toBe(1)
    expect(errors()).toContain(message)
    expect(output()).toBe('')
  })

  test('refuses a trace with a broken line, naming it', async () => {
    const trace = join(files, 'broken.jsonl')
    await writeFile(trace, '{"type":"nothing"}\n')
    const { closed, errors } = start(['inspect', trace])
    expect(await closed).toBe(1)
    expect(errors()).toContain('line 1 of the trace')
  })
})

describe('safepoint demo --inspect', () => {
  test('tells the run in the terminal, too, and the evidence at the end', async () => {
    const { child, url, closed, output } = start(['demo', '--inspect', '--json'])
    const page = await openPage(await url())
    await page.phase('paused')
    page.control({ type: 'continue' })
    await page.approve()
    await page.approve()
    await page.phase('boundary')
    page.control({ type: 'resume' })
    await page.phase('completed')
    for (let round = 0; round < 100 && !output().includes('"result"'); round += 1) {
      await new Promise(resolve => setTimeout(resolve, 50))
    }
    child.kill('SIGINT')
    expect(await closed).toBe(0)
    const events = output()
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as DemoEvent)
    const types = events.map(event => event.type)
    for (const type of ['inspector', 'project', 'state', 'approval', 'checkpoint', 'freshModel', 'evidence']) {
      expect(types).toContain(type)
    }
    expect(events.at(-1)).toEqual({ type: 'result', holds: true })
  })
})

describe('safepoint demo --report and --trace', () => {
  test('are the same demonstration, kept in two files, without a server', async () => {
    const [trace, report] = [join(files, 'run.jsonl'), join(files, 'run.html')]
    const { closed, output, errors } = start(['demo', '--trace', trace, '--report', report])
    expect([await closed, errors()]).toEqual([0, ''])
    expect(output()).toContain('The evidence holds')
    expect(output()).not.toContain('127.0.0.1')
    expect(await readFile(report, 'utf8')).toContain('id="saved-run"')
    expect((await readFile(trace, 'utf8')).split('\n').length).toBeGreaterThan(30)
    expect(await readdir(scratch)).toEqual([])
  })

  test('say what cannot be written, and exit with 1 for a report', async () => {
    const { closed, errors } = start(['demo', '--report', files])
    expect(await closed).toBe(1)
    expect(errors()).toContain('cannot be written')
    expect(await readdir(scratch)).toEqual([])
  })

  test('leave nothing when they are interrupted', async () => {
    const report = join(files, 'run.html')
    const { child, closed, errors } = start(['demo', '--json', '--report', report])
    child.stdout?.once('data', () => child.kill('SIGINT'))
    expect([await closed, errors()]).toEqual([1, 'safepoint: interrupted by SIGINT\n'])
    expect(await readdir(scratch)).toEqual([])
    await expect(stat(report)).rejects.toThrow('ENOENT')
  })
})

describe('the browser', () => {
  test.for<[string, NodeJS.ProcessEnv, NodeJS.Platform, boolean]>([
    ['a screen', { DISPLAY: ':0' }, 'linux', true],
    ['Wayland', { WAYLAND_DISPLAY: 'wayland-0' }, 'linux', true],
    ['no screen', {}, 'linux', false],
    ['CI', { DISPLAY: ':0', CI: 'true' }, 'linux', false],
    ['SSH', { DISPLAY: ':0', SSH_CONNECTION: 'a b c d' }, 'linux', false],
    ['a terminal over SSH', { SSH_TTY: '/dev/pts/0' }, 'darwin', false],
    ['a Mac', {}, 'darwin', true],
  ])('is opened where there is one: %s', ([, environment, platform, expected]) => {
    expect(canOpenBrowser(environment, platform)).toBe(expected)
  })

  test('is given the URL, and none is opened with --no-open', async () => {
    const opener = join(files, 'xdg-open')
    await writeFile(opener, `#!/bin/sh\nprintf %s "$1" > '${files}/opened'\n`, { mode: 0o755 })
    const { CI: _, SSH_CONNECTION: __, SSH_TTY: ___, ...plain } = process.env
    const environment = {
      ...plain,
      CI: '',
      SSH_CONNECTION: '',
      SSH_TTY: '',
      DISPLAY: ':99',
      PATH: `${files}:${process.env.PATH}`,
    }
    const opened = async (): Promise<string> => readFile(join(files, 'opened'), 'utf8').catch(() => '')

    const silent = start(['inspect', '--no-open'], environment)
    await silent.url()
    await new Promise(resolve => setTimeout(resolve, 300))
    silent.child.kill('SIGINT')
    await silent.closed
    expect(await opened()).toBe('')

    const open = start(['inspect'], environment)
    const url = await open.url()
    for (let round = 0; round < 100 && (await opened()) === ''; round += 1) {
      await new Promise(resolve => setTimeout(resolve, 50))
    }
    // Not the URL itself: every user of the machine could read its token in the list of processes.
    expect(await opened()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/open\?ticket=[\w-]{43}$/)
    const answer = await fetch(await opened(), { redirect: 'manual' })
    expect([answer.status, new URL(String(answer.headers.get('location')), url).href]).toEqual([303, url])
    open.child.kill('SIGINT')
    await open.closed
  })
})
