import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { goToBoundary, phase, resume, TestBrowser, takePicture } from './browser.js'
import { createProject } from './project.js'

const browser = TestBrowser.use()

/** What axe-core finds, a line each. */
async function findViolations(page: Page): Promise<readonly string[]> {
  await page.evaluate(`${axe.source}; undefined`)
  return page.evaluate(`axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 160) + ' ' + failureSummary)))`)
}

/** No part of the page is wider than the window. */
async function expectNoOverflow(page: Page): Promise<void> {
  expect(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0)
}

/** Each look takes seconds: all of them in the long version, those at the boundary everywhere. */
const all = ['approval', 'boundary', 'past', 'help'] as const
const isLong = process.env.SAFEPOINT_LONG === '1'
const most = isLong ? all : (['approval', 'boundary', 'help'] as const)
const some = isLong ? all : (['boundary'] as const)

describe.each([
  ['light', { colorScheme: 'light' }, most],
  ['dark', { colorScheme: 'dark' }, some],
  ['narrow', { viewport: { width: 390, height: 844 } }, some],
] as const)('the page, %s', (name, options, stages: readonly string[]) => {
  const look = async (page: Page, stage: string): Promise<void> => {
    if (stages.includes(stage)) expect(await findViolations(page)).toEqual([])
  }

  it('can be used by everyone, at each stage', async () => {
    const { url } = await browser.inspect(createProject())
    const page = await browser.open(url, options)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { name: 'Allow edit_file' }).waitFor()
    await look(page, 'approval')
    await takePicture(page, `${name}-approval`)
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('heading', { name: 'Allow run_command' }).waitFor()
    await page.getByRole('button', { name: 'Approve' }).click()
    await phase(page, 'boundary').waitFor()
    await look(page, 'boundary')
    await expectNoOverflow(page)
    await takePicture(page, `${name}-boundary`)
    await resume(page)
    await page.keyboard.press('ArrowLeft')
    await page.locator('.app.past').waitFor()
    await look(page, 'past')
    await takePicture(page, `${name}-past`)
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    await look(page, 'help')
  }, 60_000)
})

describe('the page in a window of 1280 by 800', () => {
  it('needs no scrolling', async () => {
    const { url } = await browser.inspect(createProject())
    const page = await browser.open(url)
    await goToBoundary(page)
    await expectNoOverflow(page)
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(800)
  })
})
