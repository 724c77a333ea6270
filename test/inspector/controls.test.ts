import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { createCheckpoint, type Message, ScriptedModel } from 'safepoint'
import { describe, expect, test, vi } from 'vitest'

import { isSavedPrefix } from '../../inspector/server/session/saved-prefix.js'
import type { AgentSnapshot } from '../../inspector/wire.js'
import { inspect, openPage } from './helpers/inspected.js'
import { prepareSample, SCRIPT } from './helpers/sample-run.js'

/** The sample's model, with every call to it kept. */
function createRecorder(): { readonly calls: string[]; readonly createModel: () => ScriptedModel } {
  const calls: string[] = []
  let models = 0
  const createModel = (): ScriptedModel => {
    models += 1
    const name = `model ${models}`
    return new (class extends ScriptedModel {
      override generate(messages: readonly Message[]): string {
        calls.push(`${name}, ${messages.length} messages`)
        return super.generate(messages)
      }
    })(SCRIPT)
  }
  return { calls, createModel }
}

describe('the gate in front of the model', () => {
  test('is shut at first: nothing is asked of the model until a page says so', async () => {
    const { calls, createModel } = createRecorder()
    const { page } = await inspect({ createModel })
    const shown = await page.phase('paused')
    expect(shown.context.modelGate).toBe('shut')
    expect(calls).toEqual([])
  })

  test('opens for one more observation at a step, and is shut again', async () => {
    const { calls, createModel } = createRecorder()
    const { page } = await inspect({ createModel })
    await page.phase('paused')
    page.control({ type: 'step' })
    await page.until(({ value, context }) => value === 'paused' && context.now.executions.list_files === 1)
    expect(calls).toEqual(['model 1, 2 messages'])
  })

  test('opens for good at "continue", and is shut by "pause" before the next call', async () => {
    const { calls, createModel } = createRecorder()
    const { page } = await inspect({ createModel })
    await page.phase('paused')
    page.control({ type: 'continue' })
    await page.phase('approval')
    page.control({ type: 'pause' })
    await page.until(({ context }) => context.modelGate === 'shut')
    await page.approve()
    await page.phase('paused')
    expect(calls).toEqual(['model 1, 2 messages', 'model 1, 4 messages'])
  })

  test('stays shut through a resume: the fresh model waits, too', async () => {
    const { calls, createModel } = createRecorder()
    const { page } = await inspect({ createModel }, { confirmTool: () => true })
    for (const messages of [2, 4, 6]) {
      await page.until(({ value, context }) => value === 'paused' && context.modelGate === 'shut')
      page.control({ type: 'step' })
      await page.until(({ value, context }) => value !== 'paused' || context.modelGate !== 'shut')
      await page.until(({ value, context }) => value !== 'running' && context.modelGate === 'shut')
      expect(calls.at(-1)).toBe(`model 1, ${messages} messages`)
    }
    expect(page.session?.value).toBe('boundary')
    page.control({ type: 'resume' })
    await page.phase('paused')
    expect(calls).toHaveLength(3)
    page.control({ type: 'continue' })
    await page.phase('completed')
    expect(calls.at(-1)).toBe('model 2, 8 messages')
  })
})

describe('a pending effect', () => {
  test('is shown as a unified diff or as the exact command, and takes place when it is approved', async () => {
    const prepared = await prepareSample()
    const { page } = await inspect(prepared, { startPaused: false })
    const first = await page.approve()
    expect(first.context.pending).toMatchObject({ tool: 'write_file', path: 'note.txt' })
    expect(first.context.pending?.diff?.text).toContain('+++ b/note.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n')
    const second = await page.approve()
    expect(second.context.pending).toMatchObject({
      tool: 'run_command',
      argv: [process.execPath, '--eval', "console.log('ran')"],
    })
    const { context } = await page.phase('boundary')
    expect(await readFile(join(String(prepared.root), 'note.txt'), 'utf8')).toBe('one\ntwo\n')
    expect(context.approvals).toEqual([
      { tool: 'write_file', approved: true },
      { tool: 'run_command', approved: true },
    ])
    expect(context.files.map(file => file.path)).toEqual(['note.txt'])
    expect(context.files[0]?.diff.text).toContain('+one\n+two\n')
  })

  test('does not take place when it is denied, and the model reads the reason', async () => {
    const prepared = await prepareSample()
    const { page } = await inspect(prepared, { startPaused: false })
    const { context } = await page.phase('approval')
    page.control({ type: 'deny', id: context.pending?.id ?? 0, reason: 'not this file' })
    await page.until(snapshot => snapshot.context.pending?.tool === 'run_command')
    await expect(stat(join(String(prepared.root), 'note.txt'))).rejects.toThrow('ENOENT')
    const said = page.events.flatMap(
      event => ('snapshot' in event ? (event.snapshot as AgentSnapshot).context.newMessages : undefined) ?? [],
    )
    expect(said.map(message => message.content.text)).toContain(
      'Tool result:\nerror: operator denied the tool action: not this file',
    )
    expect(page.session?.context.approvals).toEqual([{ tool: 'write_file', approved: false, reason: 'not this file' }])
    expect(page.session?.context.now.receiptCount).toBe(0)
  })

  test('waits for as long as nobody answers', async () => {
    const { page } = await inspect({}, { startPaused: false })
    await page.phase('approval')
    await new Promise(resolve => setTimeout(resolve, 300))
    expect(page.session?.value).toBe('approval')
  })

  test('takes no answer that is meant for another one, is late, or comes twice', async () => {
    const { page, log } = await inspect({}, { startPaused: false })
    const first = (await page.phase('approval')).context.pending?.id ?? 0
    page.control({ type: 'approve', id: first + 1 })
    await vi.waitFor(() => expect(log).toContain('"approve" had no effect: no effect of that number waits.'))
    page.control({ type: 'approve', id: first })
    page.control({ type: 'approve', id: first })
    page.control({ type: 'deny', id: first })
    const { context } = await page.until(snapshot => snapshot.context.pending?.tool === 'run_command')
    await vi.waitFor(() => expect(log).toHaveLength(3))
    expect(page.session?.context.pending).toEqual(context.pending)
    expect(page.session?.context.approvals).toEqual([{ tool: 'write_file', approved: true }])
  })

  test('of a later run has another number: an answer from before cannot hit it', async () => {
    const { page } = await inspect({}, { startPaused: false })
    const first = (await page.phase('approval')).context.pending?.id
    page.control({ type: 'abort' })
    await page.phase('aborted')
    page.control({ type: 'runAgain' })
    expect((await page.phase('approval')).context.pending?.id).not.toBe(first)
  })
})

describe('an abort', () => {
  test('ends a run that is paused', async () => {
    const { page, inspection } = await inspect()
    await page.phase('paused')
    page.control({ type: 'abort' })
    const { status, context } = await page.phase('aborted')
    expect([status, context.error?.message]).toEqual(['done', 'the run was aborted in the inspector'])
    expect(await inspection.finished).toMatchObject({ phase: 'aborted' })
  })

  test('ends a run that waits for an approval: the effect never takes place, a late answer changes nothing', async () => {
    const prepared = await prepareSample()
    const { page } = await inspect(prepared, { startPaused: false })
    const { context } = await page.phase('approval')
    page.control({ type: 'abort' })
    page.control({ type: 'approve', id: context.pending?.id ?? 0 })
    const ended = await page.phase('aborted')
    expect([ended.context.pending, ended.context.now.receiptCount, ended.context.approvals]).toEqual([null, 0, []])
    await expect(stat(join(String(prepared.root), 'note.txt'))).rejects.toThrow('ENOENT')
  })

  test('leaves nothing to be answered', async () => {
    const { page, log } = await inspect({}, { startPaused: false })
    const { context } = await page.phase('approval')
    page.control({ type: 'abort' })
    expect((await page.phase('aborted')).context.pending).toBeNull()
    page.control({ type: 'approve', id: context.pending?.id ?? 0 })
    await vi.waitFor(() => expect(log).toEqual(['"approve" had no effect: the run has ended.']))
  })

  test('ends a run that stands at its boundary', async () => {
    const { page } = await inspect({}, { startPaused: false, confirmTool: () => true })
    await page.phase('boundary')
    page.control({ type: 'abort' })
    expect((await page.phase('aborted')).status).toBe('done')
  })
})

describe('the resume', () => {
  test('comes when a page says so, with a fresh model whose first input is the saved prefix', async () => {
    const { calls, createModel } = createRecorder()
    const { page } = await inspect({ createModel }, { startPaused: false, confirmTool: () => true })
    const { context } = await page.phase('boundary')
    expect(context.checkpoint).toMatchObject({ messages: 8, model: { conversationPosition: 8, responseIndex: 3 } })
    await new Promise(resolve => setTimeout(resolve, 100))
    expect(page.session?.value).toBe('boundary')
    page.control({ type: 'resume' })
    const ended = await page.phase('completed')
    expect(ended.context.restored).toEqual({ model: context.checkpoint?.model, prefixMatches: true })
    expect(ended.context.outcome).toEqual({ reason: 'completed', final: { text: 'It is written.', length: 14 } })
    expect(calls.slice(-2)).toEqual(['model 1, 6 messages', 'model 2, 8 messages'])
  })

  test('runs no recorded effect again: the evidence is what it was at the boundary', async () => {
    const { page } = await inspect({}, { startPaused: false, confirmTool: () => true })
    await page.phase('boundary')
    page.control({ type: 'resume' })
    const { context } = await page.phase('completed')
    expect(context.atBoundary?.executions).toEqual({ list_files: 1, write_file: 1, run_command: 1 })
    expect(context.atBoundary).toMatchObject({ approvals: 2, receiptCount: 2 })
    expect(context.now).toEqual(context.atBoundary)
  })

  test('stops at the boundary again when it was asked to', async () => {
    const script = [
      ...Array.from({ length: 6 }, (_, index) => `{"tool":"read_file","path":"${index}"}`),
      '{"final":"x"}',
    ]
    const { page } = await inspect(
      { createModel: () => new ScriptedModel(script) },
      { startPaused: false, stopsAgain: true },
    )
    const first = await page.phase('boundary')
    page.control({ type: 'resume' })
    const second = await page.until(
      ({ value, context }) =>
        value === 'boundary' && context.checkpoint?.checkpointId !== first.context.checkpoint?.checkpointId,
    )
    expect(second.context.checkpoint?.messages).toBe(14)
    page.control({ type: 'resume' })
    expect((await page.phase('completed')).context.outcome?.reason).toBe('completed')
  })

  test.for(['resume', 'runAgain'] as const)(
    'has no effect where it has no place: %s while the run is paused',
    async type => {
      const { page, log } = await inspect()
      await page.phase('paused')
      page.control({ type })
      await vi.waitFor(() => expect(log).toHaveLength(1))
      expect(page.session?.value).toBe('paused')
    },
  )
})

test('an input is the saved prefix to the letter, or it is not', () => {
  const messages = [
    { role: 'system', content: 'a' },
    { role: 'user', content: 'b' },
  ] as const
  const model = { conversationPosition: 2, responseIndex: 0, cachedTokenIds: [1, 1], layerOffsets: [2] }
  const checkpoint = createCheckpoint('b', messages, model)
  expect(isSavedPrefix(messages, checkpoint)).toBe(true)
  const others = [
    messages.slice(1),
    messages.slice(0, 1),
    [...messages, messages[1]],
    [messages[1], messages[0]],
    [messages[0], { ...messages[1], content: 'B' }],
  ]
  for (const other of others) expect(isSavedPrefix(other, checkpoint)).toBe(false)
})

test('at the boundary nothing keeps the model: it is gone before the fresh one is made', async () => {
  const models: WeakRef<ScriptedModel>[] = []
  const createModel = (): ScriptedModel => {
    const model = new ScriptedModel(SCRIPT)
    models.push(new WeakRef(model))
    return model
  }
  const { page } = await inspect({ createModel }, { startPaused: false, confirmTool: () => true })
  await page.phase('boundary')
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let round = 0; round < 50 && models[0]?.deref() !== undefined; round += 1) {
    await new Promise(resolve => setTimeout(resolve, 20))
    collect()
  }
  expect(models).toHaveLength(1)
  expect(models[0]?.deref()).toBeUndefined()
})

describe('run again', () => {
  test('prepares a new run once the one before has been disposed of', async () => {
    const order: string[] = []
    const changes = {
      onEnd: async () => {
        await new Promise(resolve => setTimeout(resolve, 50))
        order.push('followed')
      },
      dispose: () => void order.push('disposed'),
    }
    const { page, inspection } = await inspect(changes, {
      startPaused: false,
      confirmTool: () => true,
      autoResume: true,
    })
    await page.phase('completed')
    page.control({ type: 'runAgain' })
    const again = await page.until(({ value, context }) => value === 'completed' && context.run === 2)
    expect(order.slice(0, 2)).toEqual(['followed', 'disposed'])
    expect(again.context.now.approvals).toBe(2)
    await inspection.close()
    expect(order).toEqual(['followed', 'disposed', 'followed', 'disposed'])
  })
})

test('a second page sees the same, and may answer for the first', async () => {
  const { page, inspection } = await inspect({}, { startPaused: false })
  await page.phase('approval')
  const second = await openPage(inspection.url)
  await second.approve()
  await page.until(({ context }) => context.pending?.tool === 'run_command')
  expect(second.events.slice(0, 5)).toEqual(page.events.slice(0, 5))
})
