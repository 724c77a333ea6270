// Renews the picture in the README, `docs/inspector.png`: the demonstration at its boundary, 1280 by 800.
// `node scripts/screenshots.mjs` after `npm run build`.
import { spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'

import { BROWSER_FLAGS, findOrInstallBrowser } from './browser.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const picture = join(root, 'docs/inspector.png')
const MOST_BYTES = 300_000

const executablePath = await findOrInstallBrowser({ log: console.log })
const inspector = spawn(process.execPath, [join(root, 'dist/src/cli/main.js'), 'inspect', '--no-open'], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
const browser = await chromium.launch({ executablePath, args: BROWSER_FLAGS })
try {
  const page = await browser.newPage({
    viewport: { width: 1280, height: 800 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
  })
  await page.goto(await readUrl(inspector.stdout))
  await page.getByRole('button', { name: 'Continue' }).click()
  for (const tool of ['edit_file', 'run_command']) {
    await page.getByRole('heading', { name: `Allow ${tool}` }).waitFor()
    await page.getByRole('button', { name: 'Approve' }).click()
  }
  await page.locator('.pill[data-phase="boundary"]').waitFor()
  await page.locator('[data-gate="open"]').waitFor()
  await page.screenshot({ path: picture })
} finally {
  await browser.close()
  inspector.kill()
}

const { size } = statSync(picture)
console.log(`docs/inspector.png: ${size} bytes`)
if (size > MOST_BYTES) {
  console.error(`The picture is larger than ${MOST_BYTES} bytes.`)
  process.exitCode = 1
}

/** The first URL that the command prints; what it prints after that is read on, or it would end. */
function readUrl(output) {
  let text = ''
  return new Promise((resolve, reject) => {
    output.on('data', chunk => {
      text += chunk
      const [url] = /http:\/\/127\.0\.0\.1:\d+\/\?token=\S+/.exec(text) ?? []
      if (url) resolve(url)
    })
    output.on('end', () => reject(new Error(`The inspector has printed no URL: ${text}`)))
  })
}
