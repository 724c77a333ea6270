// Finds a Chromium for the browser tests, or installs one, and says what it does. `node scripts/browser.mjs` prints its
// path. The order: CHROME_PATH, an installed one, playwright's cache, the one inside an npm package, apt, playwright's.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** What a Chromium is started with, in a container and as root too. */
export const BROWSER_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const INSTALLED = [
  ...['google-chrome-stable', 'google-chrome', 'chromium', 'chromium-browser', 'chrome'],
  ...['microsoft-edge-stable', 'microsoft-edge'],
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
]

/** Makes this script a child that unpacks the package, under the environment that it is given. */
const UNPACK = '--unpack'

/** Each way to a browser, tried in this order: a path, or `undefined` when it leads nowhere. */
const WAYS = [
  { name: 'CHROME_PATH', find: findByEnvironment },
  { name: 'an installed browser', find: findInstalled },
  { name: "playwright's cache", find: findInPlaywrightCache },
  { name: 'the one inside @sparticuz/chromium', find: unpackFromPackage },
  { name: 'apt-get', find: installWithApt },
  { name: 'playwright-core install', find: installWithPlaywright },
]

/**
 * The path of a Chromium that starts.
 *
 * @param {object} [options]
 * @param {(line: string) => void} [options.log] Called with each sentence about what is done.
 * @param {string} [options.only] The name of the one way to try; all of them when left out.
 * @throws Error when no way leads to one, telling what would help.
 */
export async function findOrInstallBrowser({ log = () => {}, only } = {}) {
  for (const { name, find } of WAYS) {
    if (only !== undefined && name !== only) continue
    const path = await find(log)
    if (path === undefined) continue
    const version = readVersion(path)
    if (version !== undefined) {
      log(`browser: ${version} at ${path} (${name})`)
      return path
    }
    log(`browser: ${path} (${name}) does not start`)
  }
  throw new Error('There is no Chromium and none could be installed; install one and set CHROME_PATH to its path.')
}

function findByEnvironment() {
  return process.env.CHROME_PATH || undefined
}

// Ubuntu's chromium-browser is a stub that only says how to install it: what counts is that it runs.
function findInstalled() {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  const candidates = INSTALLED.flatMap(name => (isAbsolute(name) ? [name] : folders.map(folder => join(folder, name))))
  return candidates.find(path => existsSync(path) && readVersion(path) !== undefined)
}

async function findInPlaywrightCache() {
  const path = (await import('playwright-core')).chromium.executablePath()
  return path && existsSync(path) ? path : undefined
}

/**
 * Unpacks the Chromium that comes inside an npm package. The package itself unpacks into the temporary folder, and takes
 * whatever already lies there; so it is given a folder of its own, which gets its place by one rename.
 */
function unpackFromPackage(log) {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined
  const folder = join(root, 'node_modules/@sparticuz/chromium')
  if (!existsSync(folder)) return undefined
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const home = join(root, 'node_modules/.cache/safepoint', `chromium-${version}`)
  const launcher = join(home, 'chrome')
  if (existsSync(launcher)) return launcher

  log(`browser: unpacking the Chromium of @sparticuz/chromium ${version} (200 MB, once)`)
  mkdirSync(dirname(home), { recursive: true })
  const scratch = mkdtempSync(`${home}-`)
  try {
    const env = { ...process.env, TMPDIR: scratch, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' }
    const unpacked = spawnSync(process.execPath, [fileURLToPath(import.meta.url), UNPACK], { env })
    if (unpacked.status !== 0) {
      log(`browser: it could not be unpacked: ${unpacked.stderr}`)
      return undefined
    }
    writeFileSync(join(scratch, 'chrome'), toLauncher(basename(unpacked.stdout.toString().trim())))
    chmodSync(join(scratch, 'chrome'), 0o755)
    const fonts = join(scratch, 'fonts/fonts.conf')
    writeFileSync(fonts, readFileSync(fonts, 'utf8').replaceAll('/tmp/fonts', join(home, 'fonts')))
    renameSync(scratch, home)
  } catch (error) {
    // Someone else was faster: theirs is as good.
    if (!existsSync(launcher)) throw error
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
  return launcher
}

/** Starts it with the libraries that came with it, and with its fonts where the system has none. */
function toLauncher(executable) {
  return `#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)
export LD_LIBRARY_PATH="$here/al2023/lib\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
[ -e /etc/fonts/fonts.conf ] || export FONTCONFIG_PATH="$here/fonts"
exec "$here/${executable}" "$@"
`
}

function installWithApt(log) {
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !succeeds('apt-get', ['--version'])) return undefined
  log('browser: apt-get install chromium')
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const install = ['install', '-y', '--no-install-recommends', 'chromium']
  if (!succeeds('apt-get', ['update'], env, log) || !succeeds('apt-get', install, env, log)) return undefined
  return findInstalled()
}

function installWithPlaywright(log) {
  log('browser: playwright-core install chromium')
  const cli = join(root, 'node_modules/playwright-core/cli.js')
  if (!succeeds(process.execPath, [cli, 'install', 'chromium'], process.env, log)) return undefined
  return findInPlaywrightCache()
}

/** What a browser says of itself, or `undefined` when it is none or does not run. */
function readVersion(path) {
  const { status, stdout } = spawnSync(path, ['--version', '--no-sandbox'], { encoding: 'utf8', timeout: 20_000 })
  return status === 0 && /chrom|edge/i.test(stdout) ? stdout.trim() : undefined
}

function succeeds(command, args, env = process.env, log = () => {}) {
  const { status, error, stderr } = spawnSync(command, args, { env, encoding: 'utf8' })
  if (status !== 0) log(`browser: ${command} ${args[0]} failed: ${error?.message ?? stderr.trim()}`)
  return status === 0
}

async function unpack() {
  const { default: chromium } = await import('@sparticuz/chromium')
  return chromium.executablePath()
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    const [, , only] = process.argv
    const log = text => console.error(text)
    console.log(only === UNPACK ? await unpack() : await findOrInstallBrowser({ log, only }))
  } catch (error) {
    console.error(error.message)
    process.exitCode = 1
  }
}
