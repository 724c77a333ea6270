import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import { createReport, recordRun, showTrace, writeReport } from '../../inspector/server/index.js'
import { readTrace } from '../../inspector/server/saving/read-trace.js'
import { createReportShell } from '../../inspector/server/saving/report-shell.js'
import { writeTrace } from '../../inspector/server/saving/trace-writer.js'
import { RunStream, type StreamedEvent } from '../../inspector/server/stream/run-stream.js'
import type { SavedRun, WireEvent } from '../../inspector/wire.js'
import { rejectionOf } from '../helpers/scripts.js'
import { createTempDir } from '../helpers/temp-dir.js'
import { inspect, openPage, toSession } from './helpers/inspected.js'
import { prepareSample } from './helpers/sample-run.js'

let lines: readonly string[]

/** What stands in a report's data element, and everything else of the file. */
function readReport(html: string): { readonly run: SavedRun; readonly data: string; readonly rest: string } {
  const [whole = '', data = ''] =
    /<script type="application\/json" id="saved-run">([\s\S]*?)<\/script>/.exec(html) ?? []
  return { run: JSON.parse(data) as SavedRun, data, rest: html.replace(whole, '') }
}

async function writeLines(content: string): Promise<string> {
  const file = join(await createTempDir(), 'run.jsonl')
  await writeFile(file, content)
  return file
}

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'safepoint-test-'))
  try {
    const trace = join(folder, 'run.jsonl')
    await recordRun(() => prepareSample({}, folder), { trace, confirmTool: () => true })
    lines = (await readFile(trace, 'utf8')).trimEnd().split('\n')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

describe('a trace', () => {
  test('has one event a line, the whole run', () => {
    const events = lines.map(line => JSON.parse(line) as WireEvent)
    expect(events.map(({ index }) => index)).toEqual(events.map((_, index) => index))
    expect(toSession(events.at(-1) as WireEvent)?.value).toBe('completed')
    expect(events.filter(event => event.type === '@xstate.actor').map(({ name }) => name)).toEqual([
      'session',
      'agent',
      'agent',
    ])
  })

  test('is what the page gets, with nothing in it to control', async () => {
    const shown = await showTrace(await writeLines(`${lines.join('\n')}\n`))
    onTestFinished(() => shown.close())
    const page = await openPage(shown.url)
    await page.phase('completed')
    const withoutControl = lines.map(
      line => JSON.parse(line.replace('"controllable":true', '"controllable":false')) as WireEvent,
    )
    expect(page.events).toEqual(withoutControl)
    page.control({ type: 'runAgain' })
    page.control({ type: 'abort' })
    await new Promise(resolve => setTimeout(resolve, 50))
    expect(page.session?.context).toMatchObject({ run: 1, controllable: false })
  })

  test('whose last line is torn is shown without it, and that is said', async () => {
    const notices: string[] = []
    const torn = `${lines.join('\n')}\n${String(lines[3]).slice(0, 40)}`
    const shown = await showTrace(await writeLines(torn), { onLog: line => notices.push(line) })
    await shown.close()
    expect(notices).toEqual(['The last line of the trace is torn, and was left out.'])
    const { stream } = await readTrace(await writeLines(torn))
    expect([...stream.lines()]).toHaveLength(lines.length)
  })

  test.for<[string, (lines: string[]) => string[], string]>([
    ['a line that is no JSON', all => all.with(2, 'nonsense'), 'line 3 of the trace'],
    ['a torn line in the middle', all => all.with(4, String(all[4]).slice(0, 50)), 'line 5 of the trace'],
    ['an empty line', all => all.toSpliced(1, 0, ''), 'line 2 of the trace'],
    ['another kind of event', all => all.with(0, '{"type":"other"}'), '"type"'],
    ['a line twice', all => all.toSpliced(3, 0, String(all[3])), 'line 5 of the trace'],
    [
      'a session without its phase',
      all => all.with(0, String(all[0]).replace('"running"', '"asleep"')),
      '"snapshot.value"',
    ],
    [
      'a message without a text',
      all => all.map(line => line.replace('"newMessages":[{', '"newMessages":[1,{')),
      '"snapshot.context.newMessages.0"',
    ],
    ['a list', all => all.with(1, '[]'), 'line 2 of the trace'],
  ])('with %s is refused, and the fault is named', async ([, change, place]) => {
    const error = await rejectionOf(readTrace(await writeLines(`${change([...lines]).join('\n')}\n`)))
    expect(error).toMatchObject({ name: 'AgentError', code: 'invalid_trace' })
    expect((error as Error).message).toContain(place)
    expect((error as Error).message).toMatch(/line \d+ of the trace/)
  })

  test.for(['', '{"type":"@xstate'])('with no event in it is refused: %j', async content => {
    expect(await rejectionOf(readTrace(await writeLines(content)))).toMatchObject({ code: 'invalid_trace' })
  })

  test('that is not there is refused', async () => {
    const file = join(await createTempDir(), 'missing.jsonl')
    expect(await rejectionOf(showTrace(file))).toMatchObject({ code: 'io_failed' })
  })

  test.for<[string, (folder: string) => Promise<string>]>([
    ['a directory', async folder => folder],
    ['in a directory that does not exist', async folder => join(folder, 'no', 'run.jsonl')],
    ['a full device', async () => '/dev/full'],
  ])('whose file cannot be written is told once, and the run does not feel it: %s', async ([, place]) => {
    const log: string[] = []
    const prepared = await prepareSample()
    const trace = await place(await createTempDir())
    const { end } = await recordRun(() => prepared, { trace, confirmTool: () => true, onLog: line => log.push(line) })
    expect(end).toMatchObject({ phase: 'completed', run: { reason: 'completed' } })
    expect(log).toHaveLength(1)
    expect(log[0]).toContain('cannot be written')
  })

  test('is ended when it grows too large, and that is said', async () => {
    const stream = new RunStream()
    const log: string[] = []
    const file = join(await createTempDir(), 'run.jsonl')
    const trace = writeTrace(stream, file, line => log.push(line), 2_000)
    const event: StreamedEvent = { type: '@xstate.event', sessionId: 'x', event: { type: 'a' } }
    for (let count = 0; count < 100; count += 1) stream.append(event)
    await trace.close()
    const written = (await readFile(file, 'utf8')).split('\n')
    expect(written.pop()).toBe('')
    expect(written.length).toBeGreaterThan(10)
    expect(written.join('\n').length).toBeLessThanOrEqual(2_000)
    expect(log).toEqual([expect.stringContaining('larger than 2000 bytes')])
  })
})

describe('a report', () => {
  const events = (): WireEvent[] => lines.map(line => JSON.parse(line) as WireEvent)

  test('has the whole run in it, and nothing that is fetched', async () => {
    const { run, rest } = readReport(await createReport(events()))
    expect(run.events).toEqual(events())
    expect(rest).not.toMatch(/<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=["'](?!data:)/)
  })

  test('lets its own script and style run, by their hashes, and nothing else', async () => {
    const { rest } = readReport(await createReport(events()))
    const hash = (text = ''): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
    const [, policy = ''] = /<meta http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(rest) ?? []
    const scripts = [...rest.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map(([, text]) => hash(text))
    const styles = [...rest.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, text]) => hash(text))
    expect([scripts.length, styles.length]).toEqual([1, 1])
    expect(policy).toBe(
      `default-src 'none'; script-src ${scripts[0]}; style-src ${styles[0]}; img-src data:; base-uri 'none'; form-action 'none'`,
    )
    expect(rest.indexOf('Content-Security-Policy')).toBeLessThan(rest.indexOf('<style>'))
  })

  test('holds whatever a run says: nothing in it ends the element or begins another', async () => {
    const evil = '</script><script>alert(1)</script><!--<script>\u2028\u2029&lt;'
    const { snapshot, ...first } = events()[0] as WireEvent & { snapshot: { context: object } }
    const event = {
      ...first,
      snapshot: { ...snapshot, context: { ...snapshot.context, task: evil } },
    } as unknown as WireEvent
    const { run, data } = readReport(await createReport([event]))
    expect(data).not.toMatch(/[<>&\u2028\u2029]/)
    expect(run.events).toEqual([event])
  })

  test('cannot be controlled, though the run could', async () => {
    const live = events().map(
      event => JSON.parse(JSON.stringify(event).replace('"controllable":false', '"controllable":true')) as WireEvent,
    )
    const { run } = readReport(await createReport(live))
    const sessions = run.events.flatMap(event => toSession(event) ?? [])
    expect(sessions.length).toBeGreaterThan(5)
    expect(sessions.filter(({ context }) => context.controllable)).toEqual([])
  })

  test('of a page with a closing tag in its script keeps the script whole', () => {
    const html =
      '<!doctype html><html><head><script type="module" src="./page.js"></script></head><body><main></main></body></html>'
    const { tail } = createReportShell({ html, script: 'const a = "</script><!--"', style: '' })
    expect(tail).toContain('const a = "\\x3c/script>\\x3c!--"')
  })

  test('of a page that is not as expected is refused', () => {
    expect(() => createReportShell({ html: '<p>', script: '', style: '' })).toThrow('npm run build')
  })

  test('that cannot be written is an error that names the file', async () => {
    const folder = join(await createTempDir(), 'folder')
    await mkdir(folder)
    expect(await rejectionOf(writeReport(events(), folder))).toMatchObject({ code: 'io_failed' })
  })

  test('of a live run is downloaded in the middle of it, and is what the page has seen', async () => {
    const { inspection, page } = await inspect({}, { startPaused: false, confirmTool: () => true })
    await page.phase('boundary')
    const response = await fetch(inspection.url.replace('/?', '/save?'))
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="safepoint-run.html"')
    const { run } = readReport(await response.text())
    expect(run.events.map(event => event.index)).toEqual(page.events.map(event => event.index))
    expect(toSession(run.events.at(-1) as WireEvent)).toMatchObject({
      value: 'boundary',
      context: { controllable: false },
    })
  })
})
