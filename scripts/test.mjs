// `npm test`: every part runs, one after another, whatever the others say. The last line is `N passed, N failed`.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'safepoint-test-'))
const unitReport = join(scratch, 'unit.json')

/**
 * One row a part: its heading, the commands that must all end well, and, where the part counts its own tests, how to
 * read the count once they have ended. A part without `count` is one passed or one failed.
 */
const PARTS = [
  { name: 'Format and lint', commands: [tool('@biomejs/biome', 'biome', 'ci', '--error-on-warnings', '.')] },
  { name: 'Lint with types', commands: [tool('oxlint', 'oxlint', '--type-aware', '--deny-warnings')] },
  {
    name: 'Types',
    commands: ['tsconfig.json', 'inspector/page/tsconfig.json'].map(project =>
      tool('typescript', 'tsc', '--noEmit', '-p', project),
    ),
  },
  { name: 'Unused code', commands: [tool('knip', 'knip', '--no-progress')] },
  { name: 'Build', commands: [() => ['scripts/build.mjs']] },
  {
    name: 'Package',
    commands: [
      tool('publint', 'publint', 'run', '--strict', '--pack', 'false'),
      tool('@arethetypeswrong/cli', 'attw', '--pack', '.', '--profile', 'esm-only'),
    ],
  },
  // Found or installed once, before several tests ask for one at a time.
  { name: 'A browser', commands: [() => ['scripts/browser.mjs']] },
  {
    name: 'Tests',
    commands: [
      tool(
        'vitest',
        'vitest',
        'run',
        '--allowOnly=false',
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${unitReport}`,
      ),
    ],
    count: () => countVitest(unitReport),
  },
]

let passed = 0
let failed = 0
const summary = []
try {
  for (const part of PARTS) {
    console.log(`\n=== ${part.name} ===`)
    const started = performance.now()
    const counted = await runPart(part)
    passed += counted.passed
    failed += counted.failed
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    summary.push(`${part.name}: ${counted.passed} passed, ${counted.failed} failed (${seconds} s)`)
    console.log(`--- ${summary.at(-1)}`)
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
console.log(`\n=== All parts ===\n${summary.join('\n')}`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1

async function runPart({ commands, count }) {
  let ended = true
  for (const command of commands) if (!(await run(command))) ended = false
  if (count === undefined) return ended ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
  try {
    const counted = count()
    // A tool that ends badly, or that counts nothing, never counts as good.
    const isUncounted = counted.failed === 0 && (!ended || counted.passed === 0)
    return isUncounted ? { ...counted, failed: 1 } : counted
  } catch (error) {
    console.log(`no count: ${error.message}`)
    return { passed: 0, failed: 1 }
  }
}

/** Runs a command, its output straight through; true when it ended by itself with status 0. */
function run(command) {
  return new Promise((resolve, reject) => {
    const args = command()
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
    child.once('error', reject)
    child.once('exit', (status, signal) => {
      if (status !== 0) console.log(`${args[0]} ended with ${signal ?? `status ${status}`}`)
      resolve(status === 0)
    })
  }).catch(error => {
    console.log(`cannot run: ${error.message}`)
    return false
  })
}

/** A dependency's command, run with Node itself: no shell, no shim, the same on every system. */
function tool(dependency, name, ...args) {
  return () => {
    const folder = join('node_modules', dependency)
    const { bin } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
    return [join(folder, typeof bin === 'string' ? bin : bin[name]), ...args]
  }
}

/** The count in a Vitest JSON report. A file that failed without a failed test in it did not load: one failure. */
function countVitest(file) {
  const report = JSON.parse(readFileSync(file, 'utf8'))
  const counted = { passed: 0, failed: 0 }
  for (const { name, status, assertionResults } of report.testResults) {
    const tests = { passed: 0, failed: 0 }
    for (const { fullName, status: outcome } of assertionResults) {
      if (outcome === 'passed' || outcome === 'failed') tests[outcome] += 1
      else console.log(`not run (${outcome}): ${relative(root, name)} > ${fullName}`)
    }
    if (status !== 'passed' && tests.failed === 0) tests.failed = 1
    counted.passed += tests.passed
    counted.failed += tests.failed
  }
  return counted
}
