import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'

import { describe, expect, onTestFinished, test } from 'vitest'

import { inspectRun } from '../../inspector/server/index.js'
import { rejectionOf } from '../helpers/scripts.js'
import { inspect, openPage } from './helpers/inspected.js'
import { prepareSample } from './helpers/sample-run.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

describe('close()', () => {
  test('leaves nothing open: a process that has closed its inspection ends by itself', async () => {
    // In a Node of its own, by the public name, with a page that is connected and a run that waits.
    const script = `
      import { inspectRun } from 'safepoint/inspector'
      import { ScriptedModel } from 'safepoint'
      import { WebSocket } from 'ws'
      const workspace = { availableTools: new Set(['read_file']), modifiedFiles: [], execute: () => 'seen' }
      const createModel = () => new ScriptedModel(['{"final":"done"}'])
      const inspection = await inspectRun(() => ({ task: 'a', createModel, createWorkspace: () => ({ workspace }) }))
      const { host, search } = new URL(inspection.url)
      const socket = new WebSocket('ws://' + host + '/events' + search, { origin: 'http://' + host })
      socket.on('error', () => undefined)
      await new Promise(resolve => socket.once('message', resolve))
      await fetch(inspection.url).then(response => response.text())
      await inspection.close()
      console.log((await inspection.finished).phase)`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { cwd: root })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += String(chunk)))
    const timer = setTimeout(() => child.kill('SIGKILL'), 15_000)
    const [status] = await once(child, 'close')
    clearTimeout(timer)
    expect([output, status]).toEqual(['aborted\n', 0])
  })

  test.for(['paused', 'approval', 'boundary', 'completed'] as const)(
    'ends a run that is %s, removes it, and frees the port',
    async phase => {
      let disposed = 0
      const isAnswered = phase === 'boundary' || phase === 'completed'
      const { inspection, page, port } = await inspect(
        {
          dispose: () => {
            disposed += 1
          },
        },
        {
          startPaused: phase === 'paused',
          autoResume: phase === 'completed',
          ...(isAnswered && { confirmTool: () => true }),
        },
      )
      await page.phase(phase)
      await Promise.all([inspection.close(), inspection.close(), inspection.closed])
      expect(disposed).toBe(1)
      expect((await inspection.finished).phase).toBe(phase === 'completed' ? 'completed' : 'aborted')
      const outcome = await new Promise(resolve => {
        const socket = connect(port, '127.0.0.1')
        socket.once('connect', () => resolve('connected'))
        socket.once('error', error => resolve((error as NodeJS.ErrnoException).code))
      })
      expect(outcome).toBe('ECONNREFUSED')
    },
  )

  test('comes by the signal as well, with its reason', async () => {
    const interrupted = new AbortController()
    const { inspection, page } = await inspect({}, { signal: interrupted.signal })
    await page.phase('paused')
    const reason = new Error('interrupted')
    interrupted.abort(reason)
    await inspection.closed
    expect(await inspection.finished).toEqual({ phase: 'aborted', error: reason })
  })
})

describe('inspectRun', () => {
  test('starts nothing when the signal is aborted already, or when the port is taken', async () => {
    let prepared = 0
    const prepare = async (): ReturnType<typeof prepareSample> => {
      prepared += 1
      return prepareSample()
    }
    expect(await rejectionOf(inspectRun(prepare, { signal: AbortSignal.abort('no') }))).toBe('no')
    const { port } = await inspect()
    const error = await rejectionOf(inspectRun(prepare, { port }))
    expect(error).toMatchObject({ name: 'AgentError', code: 'inspector_failed' })
    expect((error as Error).message).toContain(String(port))
    expect(prepared).toBe(0)
  })

  test('shows a run that cannot be prepared as failed, and tries again when a page says so', async () => {
    let tries = 0
    const inspection = await inspectRun(() => {
      tries += 1
      if (tries === 1) throw new Error('no project')
      return prepareSample()
    })
    onTestFinished(() => inspection.close())
    const page = await openPage(inspection.url)
    expect((await page.phase('failed')).context.error).toEqual({ code: 'error', message: 'no project' })
    page.control({ type: 'runAgain' })
    expect((await page.phase('paused')).context.run).toBe(2)
  })
})
