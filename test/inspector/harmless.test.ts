import {
  type AgentRun,
  type AgentWorkspace,
  type CheckpointableModel,
  runAgent,
  ScriptedModel,
  type ToolName,
} from 'safepoint'
import { describe, expect, test } from 'vitest'

import { type PreparedRun, recordRun } from '../../inspector/server/index.js'
import type { AgentSnapshot } from '../../inspector/wire.js'
import { rejectionOf } from '../helpers/scripts.js'
import { inspect } from './helpers/inspected.js'
import { prepareSample } from './helpers/sample-run.js'

const READ = '{"tool":"read_file","path":"a"}'
const FINISH = '{"final":"done"}'
const limits = { maxContextChars: 100_000_000 }

function createWorkspace(execute: AgentWorkspace['execute']): AgentWorkspace {
  return { availableTools: new Set<ToolName>(['read_file']), modifiedFiles: [], execute }
}

/** A model without a checkpoint, for runs that go to their end. */
function asModel(model: Pick<CheckpointableModel, 'generate'>): CheckpointableModel {
  return model as CheckpointableModel
}

interface Case {
  readonly createModel: () => CheckpointableModel
  readonly execute: AgentWorkspace['execute']
}

/** The same run without an inspector, and with one that a page looks at. */
async function compare({
  createModel,
  execute,
}: Case): Promise<{ plain: unknown; inspected: unknown; events: unknown[][] }> {
  const events: [unknown[], unknown[]] = [[], []]
  const plain = await runAgent('look', createModel(), createWorkspace(execute), {
    limits,
    onEvent: event => void events[0].push(event),
  }).catch((error: unknown) => error)
  const changes: Partial<PreparedRun> = {
    task: 'look',
    limits,
    createModel,
    createWorkspace: () => ({ workspace: createWorkspace(execute) }),
    onEvent: event => void events[1].push(event),
  }
  // No boundary: the run goes to its end.
  const { inspection, page } = await inspect({ ...changes, afterToolCalls: undefined as never }, { startPaused: false })
  const end = await inspection.finished
  await page.until(snapshot => snapshot.status === 'done')
  return { plain, inspected: end.phase === 'completed' ? end.run : end.error, events }
}

const cyclic = new Error('a circle')
cyclic.cause = { error: cyclic }

const hostile = new Proxy(
  {},
  {
    get: () => {
      throw new Error('do not look')
    },
    getPrototypeOf: () => {
      throw new Error('do not look')
    },
  },
)

describe('the run is the same as without the inspector', () => {
  test.for<[string, string]>([
    ['20 million characters', 'x'.repeat(20_000_000)],
    ['markup', '</script><script>alert(1)</script>\u2028<!--'],
    ['half a character', 'a\ud83d'],
    ['ten million characters outside the first plane', '😀'.repeat(10_000_000)],
  ])('with an observation of %s', async ([, observation]) => {
    const createModel = (): CheckpointableModel => new ScriptedModel([READ, FINISH])
    const { plain, inspected, events } = await compare({ createModel, execute: () => observation })
    expect((plain as AgentRun).reason).toBe('completed')
    // Not `toEqual`: its message would hold the texts.
    expect(JSON.stringify(inspected) === JSON.stringify(plain)).toBe(true)
    expect(JSON.stringify(events[1]) === JSON.stringify(events[0])).toBe(true)
  })

  test.for<[string, unknown]>([
    ['an error whose cause is itself', cyclic],
    ['a BigInt', 12n],
    ['undefined', undefined],
    ['null', null],
    ['a proxy that throws', hostile],
    ['a symbol', Symbol('thrown')],
  ])('when the model throws %s', async ([, thrown]) => {
    const generate = (): string => {
      throw thrown
    }
    const { plain, inspected } = await compare({ createModel: () => asModel({ generate }), execute: () => '' })
    const [before, after] = [plain, inspected] as [
      { code: string; message: string; cause: unknown },
      { code: string; message: string; cause: unknown },
    ]
    expect([after.code, after.message, after.cause === thrown]).toEqual([before.code, before.message, true])
    expect(before.cause === thrown).toBe(true)
  })

  test.for<[string, unknown]>([
    ['a BigInt', 12n],
    ['a function', () => ''],
    ['nothing', undefined],
  ])('when the workspace answers %s instead of a text', async ([, answer]) => {
    const createModel = (): CheckpointableModel => new ScriptedModel([READ, FINISH])
    const { plain, inspected } = await compare({ createModel, execute: () => answer as string })
    expect(inspected).toEqual(plain)
    expect(inspected).toMatchObject({ code: 'workspace_failed' })
  })

  test.for<[string, Partial<PreparedRun>]>([
    ['a model that cannot be saved', { createModel: () => asModel({ generate: () => FINISH }) }],
    ['no model', { createModel: () => undefined as never }],
    ['no workspace', { createWorkspace: () => ({ workspace: 1 as never }) }],
    ['a blank task', { task: ' ' }],
    ['a limit of nothing', { limits: { maxSteps: 0 } }],
  ])('when it cannot begin: %s', async ([, changes]) => {
    const { inspection, page } = await inspect(changes, { startPaused: false })
    const end = await inspection.finished
    expect(end).toMatchObject({ phase: 'failed', error: { name: 'AgentError' } })
    const { context } = await page.phase('failed')
    expect(context.error?.code).toBe((end as { error: { code: string } }).error.code)
    expect(['not_checkpointable', 'invalid_option', 'invalid_task']).toContain(context.error?.code)
  })

  test('when the page vanishes in the middle of it', async () => {
    const { inspection, page } = await inspect({}, { startPaused: false, confirmTool: () => true, autoResume: true })
    for (const socket of page.sockets) socket.terminate()
    expect(await inspection.finished).toMatchObject({ phase: 'completed', run: { reason: 'completed' } })
  })

  test('when the page does not read: what it has not taken is not kept for it', async () => {
    const script = [...Array.from({ length: 2_000 }, (_, index) => `{"tool":"read_file","path":"${index}"}`), FINISH]
    const observation = 'x'.repeat(8_000)
    const { inspection, page } = await inspect(
      {
        afterToolCalls: undefined as never,
        limits: { maxSteps: 3_000, maxContextChars: 1e9 },
        createModel: () => new ScriptedModel(script),
        createWorkspace: () => ({
          workspace: createWorkspace(() => new Promise(resolve => setImmediate(resolve, observation))),
        }),
      },
      { startPaused: true },
    )
    await page.phase('paused')
    page.sockets[0].pause()
    const before = process.memoryUsage().arrayBuffers
    page.control({ type: 'continue' })
    expect(await inspection.finished).toMatchObject({ phase: 'completed' })
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000)
    // And when it reads again it gets all there is.
    page.sockets[0].resume()
    await page.until(snapshot => snapshot.value === 'completed')
  })
})

test('what is sent of a long text is bounded, and says how long it was', async () => {
  const observation = '😀'.repeat(1_000_000)
  const { page } = await inspect(
    {
      afterToolCalls: undefined as never,
      limits,
      createModel: () => new ScriptedModel([READ, FINISH]),
      createWorkspace: () => ({ workspace: createWorkspace(() => observation) }),
    },
    { startPaused: false },
  )
  await page.phase('completed')
  const contexts = page.events.flatMap(event =>
    'snapshot' in event && event.sessionId !== 'session' ? [(event.snapshot as AgentSnapshot).context] : [],
  )
  const observed = contexts.flatMap(context => context.newMessages).at(-1)?.content
  const result = contexts.flatMap(context => context.newInteractions)[0]?.result
  expect(result).toEqual({ text: '😀'.repeat(1_000), length: 1_000_000 })
  expect(observed).toEqual({ text: `Tool result:\n${'😀'.repeat(7_987)}`, length: 1_000_013 })
  const longest = Math.max(...page.events.map(event => JSON.stringify(event).length))
  expect(longest).toBeLessThan(60_000)
})

test('each message and each interaction is sent once, however long the run', async () => {
  const script = [...Array.from({ length: 40 }, (_, index) => `{"tool":"read_file","path":"${index}"}`), FINISH]
  const { page } = await inspect(
    {
      afterToolCalls: 20,
      limits: { maxSteps: 100 },
      createModel: () => new ScriptedModel(script),
      createWorkspace: () => ({ workspace: createWorkspace(() => 'seen') }),
    },
    { startPaused: false, autoResume: true },
  )
  await page.phase('completed')
  const sent = (sessionId: string | null | undefined): number[] => {
    const contexts = page.events.flatMap(event =>
      'snapshot' in event && event.sessionId === sessionId ? [(event.snapshot as AgentSnapshot).context] : [],
    )
    return [
      contexts.flatMap(context => context.newMessages).length,
      contexts.flatMap(context => context.newInteractions).length,
    ]
  }
  const agents = page.events.flatMap(event =>
    event.type === '@xstate.actor' && event.name === 'agent' ? [event.sessionId] : [],
  )
  expect(agents.map(sent)).toEqual([
    [42, 20],
    [82, 21],
  ])
})

test('another inspector may look on as well, and one that throws disturbs neither', async () => {
  let seen = 0
  const { page, inspection } = await inspect(
    {
      afterToolCalls: undefined as never,
      inspect: () => {
        seen += 1
      },
    },
    { startPaused: false, confirmTool: () => true },
  )
  expect(await inspection.finished).toMatchObject({ phase: 'completed' })
  await page.phase('completed')
  expect(seen).toBeGreaterThan(10)
})

test('a callback of the caller that throws is told in the log, and the run goes on', async () => {
  const { inspection, log } = await inspect(
    {
      onCheckpoint: () => {
        throw new Error('broken callback')
      },
    },
    { startPaused: false, confirmTool: () => true, autoResume: true },
  )
  expect(await inspection.finished).toMatchObject({ phase: 'completed' })
  expect(log).toEqual(['The inspector failed (broken callback); the run is not affected.'])
})

describe('a recording', () => {
  test('denies every effect when nobody is asked', async () => {
    const prepared = await prepareSample()
    const { end } = await recordRun(() => prepared)
    expect(end.phase === 'completed' && end.run.modifiedFiles).toEqual([])
  })

  test('that is aborted ends with the reason, once what it leaves is removed', async () => {
    let isDisposed = false
    const prepared = await prepareSample({
      createModel: () => asModel({ generate: () => new Promise(() => undefined) }),
      afterToolCalls: undefined as never,
      dispose: async () => {
        await new Promise(resolve => setTimeout(resolve, 50))
        isDisposed = true
      },
    })
    const interrupted = new AbortController()
    setTimeout(() => interrupted.abort(new Error('enough')), 200)
    const { end } = await recordRun(() => prepared, { signal: interrupted.signal })
    expect([end.phase, isDisposed]).toEqual(['aborted', true])
  })

  test('whose signal is aborted already prepares nothing', async () => {
    const prepare = (): never => {
      throw new Error('it was prepared')
    }
    expect(await rejectionOf(recordRun(prepare, { signal: AbortSignal.abort('no') }))).toBe('no')
  })
})
