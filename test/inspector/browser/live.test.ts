import type { WebSocketRoute } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { goToBoundary, phase, resume, TestBrowser, takePicture } from './browser.js'
import { createProject } from './project.js'

const browser = TestBrowser.use()

describe('a run in the browser', () => {
  it('is watched to its boundary, and goes on with a fresh model', async () => {
    const { url, finished } = await browser.inspect(createProject())
    const page = await browser.open(url)
    await phase(page, 'paused').waitFor()
    const gate = page.locator('[data-gate]')
    expect(await gate.getAttribute('data-gate')).toBe('shut')
    expect(await gate.textContent()).toContain('0 of 3 tool calls')

    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { name: 'Allow edit_file on total.js' }).waitFor()
    expect(await page.locator('.approval .added').textContent()).toContain('sum + price')
    expect(await page.locator('.pair.open').count()).toBe(1)
    expect(await page.locator('.pair:not(.open)').count()).toBe(1)
    await page.getByRole('button', { name: 'Approve' }).click()

    await page.getByRole('heading', { name: 'Allow run_command' }).waitFor()
    expect(await page.locator('.approval .argv').textContent()).toBe('node check.js')
    expect(await gate.textContent()).toContain('the observation is not')
    expect(await gate.getAttribute('data-gate')).toBe('shut')
    await takePicture(page, 'approval')
    await page.getByRole('button', { name: 'Approve' }).click()

    await phase(page, 'boundary').waitFor()
    await page.locator('[data-gate="open"]').waitFor()
    expect(await gate.textContent()).toContain('3 of 3 tool calls')
    expect(await page.locator('.cut-line').textContent()).toMatch(/checkpoint [0-9a-f]{4}…[0-9a-f]{4}$/)
    const counted = await page.locator('#evidence tbody tr td:nth-child(2)').allTextContents()
    expect(counted).toEqual(['2', '2', '1×', '1×', '1×'])

    await resume(page)
    expect((await finished).phase).toBe('completed')
    expect(await page.locator('#evidence tbody tr').evaluateAll(rows => rows.map(row => row.className))).toEqual(
      Array(5).fill('same'),
    )
    expect(await page.locator('.verdict').textContent()).toContain('Nothing recorded ran again.')
    expect(await page.locator('.match').textContent()).toContain('the prefix matches the first input')
    expect(await page.locator('.bars .saved').count()).toBe(await page.locator('.bars .restored').count())
    expect(await page.locator('.outcome').textContent()).toContain('the check passes')
    expect(await page.locator('.pair.restored').count()).toBe(3)
  })

  it('lights where it stands, what it took and what said no', async () => {
    const { url } = await browser.inspect(createProject())
    const page = await browser.open(url)
    await phase(page, 'paused').waitFor()
    await page.getByRole('button', { name: 'Step' }).click()
    await page.locator('.pair:not(.open)').waitFor()
    await phase(page, 'paused').waitFor()
    expect(await page.locator('.state.on').getAttribute('data-state')).toBe('awaitModel')
    expect(await page.locator('.line.taken').getAttribute('data-transition')).toBe('maybeCheckpoint.boundary||2')
    expect(await page.locator('.refusals s').allTextContents()).toEqual([
      'boundaryReached',
      'stepLimitReached',
      'contextLimitReached',
    ])
    expect(await page.locator('.line.taken').count()).toBe(1)
    expect(await page.locator('.pair').count()).toBe(1)
  })

  it('is denied an effect, with a reason that the model reads', async () => {
    const { url } = await browser.inspect(createProject())
    const page = await browser.open(url)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { name: 'Allow edit_file' }).waitFor()
    await page.getByLabel('Reason for denying').fill('not on my watch')
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.locator('.pair.faulty', { hasText: 'not on my watch' }).waitFor()
    await page.getByRole('option', { name: /denied edit_file: not on my watch/ }).waitFor()
    expect(await page.locator('#evidence tbody tr').first().textContent()).toContain('approvals')
    expect(await page.locator('.files').count()).toBe(0)
  })

  it('waits for an answer as long as there is none, and can be aborted', async () => {
    const { url, finished } = await browser.inspect(createProject())
    const page = await browser.open(url)
    await page.getByRole('button', { name: 'Continue' }).click()
    const card = page.getByRole('heading', { name: 'Allow edit_file' })
    await card.waitFor()
    await page.locator('h3:focus', { hasText: 'Allow edit_file' }).waitFor()
    await page.getByRole('button', { name: 'Abort' }).click()
    await phase(page, 'aborted').waitFor()
    expect((await finished).phase).toBe('aborted')
    expect(await card.count()).toBe(0)
    await page.getByRole('region', { name: 'The run was aborted' }).waitFor()
  })

  it('runs again', async () => {
    const { url } = await browser.inspect(createProject())
    const page = await browser.open(url)
    await phase(page, 'paused').waitFor()
    await page.getByRole('button', { name: 'Abort' }).click()
    await page.getByRole('button', { name: 'Run again' }).click()
    await page.locator('.run-number', { hasText: 'run 2' }).waitFor()
    await page.locator('.pill:not([data-phase="aborted"])').waitFor()
    await page.locator('.opening', { hasText: 'task' }).waitFor()
    expect(await page.locator('.run-number').textContent()).toContain('run 2')
  })

  it('shows why it failed', async () => {
    const { url } = await browser.inspect(createProject({ script: [] }))
    const page = await browser.open(url)
    await page.getByRole('button', { name: 'Continue' }).click()
    await phase(page, 'failed').waitFor()
    const outcome = await page.getByRole('region', { name: 'The run failed' }).textContent()
    expect(outcome).toContain('model_failed')
    await takePicture(page, 'failed')
  })

  it('survives a reload in the middle, and shows the same in a second page', async () => {
    const { url } = await browser.inspect(createProject())
    const page = await browser.open(url)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { name: 'Allow edit_file' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Allow edit_file' }).waitFor()
    const second = await browser.open(url, { colorScheme: 'dark' })
    await second.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('heading', { name: 'Allow run_command' }).waitFor()
    await page.getByRole('button', { name: 'Approve' }).click()
    for (const each of [page, second]) await phase(each, 'boundary').waitFor()
    const entries = await page.locator('.timeline-size').textContent()
    expect(Number.parseInt(entries ?? '', 10)).toBeGreaterThan(15)
    expect((await second.locator('.timeline-size').textContent())?.split(' ·')[0]).toBe(entries?.split(' ·')[0])
  })

  it('shows an observation with markup as the text that it is', async () => {
    const markup = '</script><img src=x onerror="document.title=\'broken\'"><b id="bold">bold</b><!--'
    const script = [{ tool: 'read_file', path: 'page.html' }, { final: markup }]
    const { url } = await browser.inspect(
      createProject({ task: markup, script, files: { 'page.html': markup }, afterToolCalls: 1 }),
    )
    const page = await browser.open(url)
    await page.getByRole('button', { name: 'Continue' }).click()
    await resume(page)
    expect(await page.locator('.pair .half code').textContent()).toBe(markup)
    expect(await page.locator('.outcome code.text').textContent()).toBe(markup)
    expect(await page.locator('#bold, img').count()).toBe(0)
    expect(await page.title()).toContain('safepoint')
  })

  it('says that it waits as long as nothing has come', async () => {
    const { url } = await browser.inspect(createProject())
    const page = await browser.open(url)
    // Both sockets are open, and nothing comes.
    await page.routeWebSocket(/token=/, () => undefined)
    await page.reload()
    await page.getByRole('heading', { name: 'Waiting for the first event' }).waitFor()
    await page.locator('.app[data-connection="connected"]').waitFor()
    expect(await page.locator('.actions button').count()).toBe(1)
    await takePicture(page, 'empty')
  })

  it('comes back when its connection was lost', async () => {
    const { url } = await browser.inspect(createProject())
    const page = await browser.open(url)
    const sockets: WebSocketRoute[] = []
    await page.routeWebSocket(/\/control\?/, socket => {
      socket.connectToServer()
      sockets.push(socket)
    })
    await page.reload()
    await goToBoundary(page)
    const entries = await page.locator('.entry').last().textContent()
    await sockets[0]?.close()
    await page.locator('.app[data-connection="disconnected"]').waitFor()
    await page.locator('.app[data-connection="connected"]').waitFor()
    await phase(page, 'boundary').waitFor()
    expect(await page.locator('.pair').count()).toBe(3)
    expect(await page.locator('.entry').last().textContent()).toBe(entries)
    await resume(page)
  })

  it('says that the server is gone', async () => {
    const first = await browser.inspect(createProject())
    const page = await browser.open(first.url)
    await goToBoundary(page)
    await first.close()
    await page.getByRole('alert').waitFor()
    await phase(page, 'disconnected').waitFor()
    expect(await page.locator('.actions button:enabled').allTextContents()).toEqual(['?'])
    expect(await page.locator('.pair').count()).toBe(3)
    await takePicture(page, 'disconnected')
    browser.forgiveLostServer()
  })
})
