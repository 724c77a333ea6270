// Measures what an inspector costs a run, with a page that looks on. Needs a build; writes its table to
// bench/inspector.md.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'

import { inspectRun } from '../dist/inspector/server/index.js'
import { runAgent } from '../dist/src/index.js'
import { median } from './measure.mjs'

const script = fileURLToPath(new URL('inspector-page.mjs', import.meta.url))
const rows = []
const limits = { maxSteps: 10_000, maxContextChars: Number.MAX_SAFE_INTEGER }

/** @param {string} what @param {string} measured @param {number} figure @param {number} bound @param {string} unit */
function record(what, measured, figure, bound, unit) {
  const holds = figure <= bound
  rows.push(`| ${what} | ${measured} | ${figure.toFixed(2)}${unit} | ${bound}${unit} | ${holds ? 'yes' : '**no**'} |`)
  console.log(`${holds ? 'ok  ' : 'OVER'} ${what}: ${measured}: ${figure.toFixed(2)}${unit} (at most ${bound}${unit})`)
  if (!holds) process.exitCode = 1
}

/**
 * The parts of a run whose steps are timed, from one model call to the next.
 *
 * @param {number} steps
 * @param {() => string | Promise<string>} observe
 */
function createParts(steps, observe) {
  const calls = []
  const model = {
    generate: () => {
      calls.push(performance.now())
      return calls.length > steps ? '{"final":"done"}' : `{"tool":"list_files","path":"${calls.length}"}`
    },
  }
  const workspace = { availableTools: new Set(['list_files']), modifiedFiles: [], execute: observe }
  return { model, workspace, times: () => calls.slice(1).map((at, index) => at - calls[index]) }
}

/** @param {number} steps @param {() => string | Promise<string>} observe */
async function runPlain(steps, observe) {
  const { model, workspace, times } = createParts(steps, observe)
  await runAgent('list', model, workspace, { limits })
  return times()
}

/** @param {number} steps @param {() => string | Promise<string>} observe */
async function runInspected(steps, observe) {
  const { model, workspace, times } = createParts(steps, observe)
  const prepared = { task: 'list', limits, createModel: () => model, createWorkspace: () => ({ workspace }) }
  const inspection = await inspectRun(() => prepared)
  // The page is a process of its own, as a browser is; it lets the run go on once it looks.
  const page = spawn(process.execPath, [script, inspection.url], { stdio: ['ignore', 'inherit', 'inherit'] })
  const end = await inspection.finished
  if (end.phase !== 'completed') throw end.error
  await inspection.close()
  await once(page, 'exit')
  return times()
}

const later = text => () => new Promise(resolve => setImmediate(resolve, text))

await runPlain(2_000, () => 'ok') // warm, so that the compiler's work is not counted
await runInspected(2_000, () => 'ok')
await measure('a step that does nothing', 3_000, () => 'ok')
await measure('a step that waits for the event loop once', 3_000, later('ok'))
await measure('a step with an observation of 10,000 characters', 1_000, later('line of text\n'.repeat(800)))
const large = 'x'.repeat(20_000_000)
await measure('a step with an observation of 20 MB', 200, later(large))
const wide = '漢'.repeat(20_000_000)
await measure('a step with an observation of 20 million wide characters', 15, later(wide))
await measureGrowth()

const table = `# Measured

\`node bench/inspector.mjs\` on Node ${process.version}, ${cpus()[0]?.model.trim()}, medians. A step is from one model call
to the next; the floor is the same run without an inspector, and a page that is connected looks on.

| what | measured | figure | at most | holds |
| --- | --- | --- | --- | --- |
${rows.join('\n')}
`
writeFileSync(new URL('inspector.md', import.meta.url), table)

/** @param {string} what @param {number} steps @param {() => string | Promise<string>} observe */
async function measure(what, steps, observe) {
  const [plain, inspected] = [[], []]
  for (let round = 0; round < 3; round += 1) {
    plain.push(...(await runPlain(steps, observe)))
    inspected.push(...(await runInspected(steps, observe)))
  }
  const [floor, work] = [median(plain), median(inspected)]
  record(what, `${micros(work)}, without an inspector ${micros(floor)}`, work / floor, 3, '×')
}

async function measureGrowth() {
  const last = times => times.slice(-500)
  const floor = median(last(await runPlain(5_000, later('ok'))))
  const work = median(last(await runInspected(5_000, later('ok'))))
  record('a step at the end of 5,000', `${micros(work)}, without an inspector ${micros(floor)}`, work / floor, 3, '×')
}

/** @param {number} milliseconds */
function micros(milliseconds) {
  return milliseconds < 10 ? `${(milliseconds * 1_000).toFixed(0)} µs` : `${milliseconds.toFixed(0)} ms`
}
