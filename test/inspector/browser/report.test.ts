import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { goToBoundary, phase, resume, TestBrowser } from './browser.js'
import { createProject } from './project.js'

const browser = TestBrowser.use()
const folder = mkdtempSync(join(tmpdir(), 'safepoint-report-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a saved run', () => {
  it('opens from the disk without a server, has the timeline, and no controls', async () => {
    const inspection = await browser.inspect(createProject({ task: 'Mend </script><b>this</b>.' }))
    const page = await browser.open(inspection.url)
    await goToBoundary(page)
    await resume(page)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Save this run' }).click(),
    ])
    const file = join(folder, 'run.html')
    await download.saveAs(file)
    await page.close()
    await inspection.close()

    const saved = await browser.open(pathToFileURL(file).href)
    await phase(saved, 'completed').waitFor()
    await saved.getByText('saved run').waitFor()
    expect(await saved.locator('.task').textContent()).toBe('Mend </script><b>this</b>.')
    for (const name of ['Pause', 'Abort', 'Run again', 'Save this run']) {
      expect(await saved.getByText(name, { exact: true }).count()).toBe(0)
    }
    expect(await saved.locator('.verdict').textContent()).toContain('Nothing recorded ran again.')
    await saved.keyboard.press('b')
    await saved.locator('.app.past').waitFor()
    expect(await saved.locator('[data-gate]').getAttribute('data-gate')).toBe('open')
    expect(await saved.locator('.cut-line').count()).toBe(1)
  })
})
