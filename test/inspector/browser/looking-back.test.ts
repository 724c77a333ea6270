import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { goToBoundary, phase, resume, TestBrowser, takePicture } from './browser.js'
import { createProject } from './project.js'

const browser = TestBrowser.use()

const chosen = (page: Page) => page.locator('.entry[aria-selected="true"]')
const slider = (page: Page) => page.getByRole('slider', { name: 'Entry' })

/** Waits until the chosen row says this. */
async function expectChosen(page: Page, text: string): Promise<void> {
  await page.locator('.entry[aria-selected="true"]', { hasText: text }).waitFor()
}

describe('looking back', () => {
  it('shows any instant, by the slider, the list, a pair or a state, and disturbs nothing', async () => {
    const { url, finished } = await browser.inspect(createProject())
    const page = await browser.open(url)
    await goToBoundary(page)

    await slider(page).fill('0')
    await page.getByText('The past', { exact: true }).waitFor()
    expect(await page.locator('.app.past').count()).toBe(1)
    expect(await page.locator('.pair').count()).toBe(0)
    expect(await page.locator('[data-gate]').textContent()).toContain('0 of 3 tool calls')

    await page.getByRole('button', { name: 'Live', exact: false }).last().click()
    await page.locator('.pair').nth(2).waitFor()
    await page.locator('.pair').first().getByRole('button').click()
    await expectChosen(page, 'appendObservation')
    expect(await page.locator('.pair').count()).toBe(1)
    expect(await page.locator('.state.on').getAttribute('data-state')).toBe('appendObservation')

    await page.getByRole('button', { name: /^executeTool/ }).click()
    await expectChosen(page, 'executeTool')
    expect(await page.locator('.pair.open').count()).toBe(1)
    await takePicture(page, 'past')

    // The run goes on although the page looks back: the controls are those of now.
    await resume(page)
    expect((await finished).phase).toBe('completed')
    expect(await page.locator('.app.past').count()).toBe(1)
    await expectChosen(page, 'executeTool')
  })

  it('finds steps by their words', async () => {
    const { url } = await browser.inspect(createProject())
    const page = await browser.open(url)
    await goToBoundary(page)
    await page.keyboard.press('/')
    await page.keyboard.type('boundaryReached')
    await page.locator('.timeline-size', { hasText: ' of ' }).waitFor()
    expect(await page.locator('.entry .title').allTextContents()).toEqual([
      'awaitModel always',
      'awaitModel always',
      'maybeCheckpoint.saving always [boundaryReached]',
    ])
    await page.getByRole('option', { name: /saving/ }).click()
    await page.locator('[data-gate="open"]').waitFor()
    await page.getByRole('searchbox').press('Escape')
    await expectChosen(page, 'saving')
    expect(await page.getByRole('option').count()).toBeGreaterThan(3)
  })

  it('plays from the beginning, and stops', async () => {
    const { url } = await browser.inspect(createProject())
    const page = await browser.open(url)
    await goToBoundary(page)
    await page.keyboard.press('Home')
    await page.getByRole('button', { name: 'Play' }).click()
    await page.getByRole('button', { name: 'Stop' }).waitFor()
    await page.locator('.entry[aria-selected="true"]:not(#entry-0)').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('button', { name: 'Play' }).waitFor()
    expect(await page.locator('.entry[aria-selected="true"]').count()).toBe(1)
  })
})

describe('with the keyboard only', () => {
  it('a run is taken to its boundary, looked through, and resumed', async () => {
    const { url } = await browser.inspect(createProject())
    const page = await browser.open(url)
    await phase(page, 'paused').waitFor()
    await tabTo(page, 'Continue')
    await page.keyboard.press('Enter')
    for (const tool of ['edit_file', 'run_command']) {
      await page.getByRole('heading', { name: `Allow ${tool}` }).waitFor()
      await tabTo(page, 'Approve')
      await page.keyboard.press('Space')
    }
    await phase(page, 'boundary').waitFor()

    await page.keyboard.press('Home')
    await page.locator('#entry-0[aria-selected="true"]').waitFor()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await page.locator('#entry-2[aria-selected="true"]').waitFor()
    await page.keyboard.press('ArrowLeft')
    await page.locator('#entry-1[aria-selected="true"]').waitFor()
    await page.keyboard.press('b')
    await expectChosen(page, 'checkpoint')
    await page.locator('.app.past').waitFor()
    await page.keyboard.press('l')
    await page.locator('.app:not(.past)').waitFor()

    await page.keyboard.press('?')
    const help = page.getByRole('dialog', { name: 'Keys' })
    await help.waitFor()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Escape')
    await help.waitFor({ state: 'hidden' })
    expect(await page.locator('.app.past').count()).toBe(0)

    await tabTo(page, 'Drop the model and resume with a fresh one')
    expect(await page.locator('button:focus-visible').count()).toBe(1)
    await page.keyboard.press('Enter')
    await phase(page, 'completed').waitFor()

    await page.getByRole('listbox', { name: 'Steps' }).focus()
    await page.keyboard.press('ArrowUp')
    expect(await chosen(page).count()).toBe(1)
    await page.locator('.app.past').waitFor()
  })
})

/** Presses Tab until the focus is where it should be; all that can be reached is reached within a round. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 80; presses += 1) {
    const focused = page.locator(':focus')
    if ((await focused.count()) > 0 && (await focused.textContent())?.trim() === name) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`no way to ${name} by Tab`)
}
