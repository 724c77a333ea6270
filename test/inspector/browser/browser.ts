import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { type Inspection, type InspectOptions, inspectRun, type PrepareRun } from '../../../inspector/server/index.js'
import { BROWSER_FLAGS, findOrInstallBrowser } from '../../../scripts/browser.mjs'

const PICTURES = fileURLToPath(new URL('../../../test-results/inspector/', import.meta.url))
const TIMEOUT = 20_000

/** What a page may say in its console when its server goes away, and at no other time. */
const SERVER_IS_GONE = /WebSocket connection to .* failed/

/** A browser for the tests of one file. What goes wrong in the console of a page fails the test. */
export class TestBrowser {
  readonly #closing: (() => Promise<void>)[] = []
  #browser: Browser | undefined
  #problems: string[] = []

  /** To be called once a file, outside of its tests. */
  static use(): TestBrowser {
    const browser = new TestBrowser()
    beforeAll(() => browser.#start(), 180_000)
    afterEach(() => browser.#endTest())
    afterAll(() => browser.#browser?.close())
    return browser
  }

  /** Starts a run and shows it. */
  async inspect(prepare: PrepareRun, options: InspectOptions = {}): Promise<Inspection> {
    const inspection = await inspectRun(prepare, options)
    this.#closing.push(() => inspection.close())
    return inspection
  }

  async open(url: string, options: BrowserContextOptions = {}): Promise<Page> {
    if (this.#browser === undefined) throw new Error('the browser has not been started')
    const context = await this.#browser.newContext({
      viewport: { width: 1280, height: 800 },
      reducedMotion: 'reduce',
      ...options,
    })
    context.setDefaultTimeout(TIMEOUT)
    this.#closing.unshift(() => context.close())
    const page = await context.newPage()
    page.on('pageerror', error => this.#problems.push(String(error)))
    page.on('console', message => {
      if (message.type() === 'error' || message.type() === 'warning') this.#problems.push(message.text())
    })
    await page.goto(url)
    return page
  }

  /** From now on, the server of the pages may be gone. */
  forgiveLostServer(): void {
    this.#problems = this.#problems.filter(problem => !SERVER_IS_GONE.test(problem))
  }

  async #start(): Promise<void> {
    const executablePath = await findOrInstallBrowser({ log: line => process.stdout.write(`${line}\n`) })
    this.#browser = await chromium.launch({ executablePath, args: BROWSER_FLAGS })
  }

  async #endTest(): Promise<void> {
    const problems = this.#problems
    this.#problems = []
    // The pages go before their servers, so that none of them misses its own.
    for (const close of this.#closing.splice(0)) await close()
    if (problems.length > 0) throw new Error(`The console of a page says:\n${problems.join('\n')}`)
  }
}

/** Writes a picture for a person to look at. */
export async function takePicture(page: Page, name: string): Promise<void> {
  mkdirSync(PICTURES, { recursive: true })
  await page.screenshot({ path: `${PICTURES}${name}.png`, fullPage: true })
}

/** The pill with the phase of the run. */
export function phase(page: Page, name: string) {
  return page.locator(`.pill[data-phase="${name}"]`)
}

/** Goes through the demonstration to its boundary, approving what it asks for. */
export async function goToBoundary(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Continue' }).click()
  for (const tool of ['edit_file', 'run_command']) {
    await page.getByRole('heading', { name: `Allow ${tool}` }).waitFor()
    await page.getByRole('button', { name: 'Approve' }).click()
  }
  await phase(page, 'boundary').waitFor()
}

export async function resume(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Drop the model and resume with a fresh one' }).click()
  await phase(page, 'completed').waitFor()
}
