// Measures what the core promises about speed and memory. Needs a build; writes its table to bench/core.md.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'

import { createCheckpoint, createModelCheckpoint, runAgent } from '../dist/src/index.js'
import { compare, median } from './measure.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const rows = []

/** @param {string} what @param {string} measured @param {number} figure @param {number} bound @param {string} unit */
function record(what, measured, figure, bound, unit) {
  const holds = figure <= bound
  rows.push(`| ${what} | ${measured} | ${figure.toFixed(2)}${unit} | ${bound}${unit} | ${holds ? 'yes' : '**no**'} |`)
  console.log(`${holds ? 'ok  ' : 'OVER'} ${what}: ${measured}: ${figure.toFixed(2)}${unit} (at most ${bound}${unit})`)
  if (!holds) process.exitCode = 1
}

await runSteps() // warm, so that the compiler's work is not counted for the early steps
await measureSteps()
await measureCheckpoint('ASCII', 'a', 3)
await measureCheckpoint('CJK', '漢', 6)
await measureImport()
measureMemory()

const table = `# Measured

\`npm run bench\` on Node ${process.version}, ${cpus()[0]?.model.trim()}, medians; each ratio is against a floor in the same run.

| what | measured | figure | at most | holds |
| --- | --- | --- | --- | --- |
${rows.join('\n')}
`
writeFileSync(new URL('core.md', import.meta.url), table)

// The time of a step is from one model call to the next.
async function runSteps() {
  const calls = []
  const model = {
    generate: () => {
      calls.push(performance.now())
      return `{"tool":"list_files","path":"${calls.length}"}`
    },
  }
  const workspace = { availableTools: new Set(['list_files']), modifiedFiles: [], execute: () => 'ok' }
  const limits = { maxSteps: 5_000, maxContextChars: Number.MAX_SAFE_INTEGER }
  await runAgent('list', model, workspace, { limits })
  return calls.slice(1).map((at, index) => at - calls[index])
}

async function measureSteps() {
  const times = await runSteps()
  const early = median(times.slice(500, 1_000))
  const late = median(times.slice(-500))
  const measured = `${(late * 1000).toFixed(0)} µs a step at the end, ${(early * 1000).toFixed(0)} µs from 500 to 1,000`
  record('one step in a run of 5,000 steps', measured, late / early, 1.5, '×')
}

/** @param {string} name @param {string} character @param {number} bound */
async function measureCheckpoint(name, character, bound) {
  const count = 100_000
  const messages = Array.from({ length: count }, (_, index) => {
    const role = index % 2 === 0 ? 'user' : 'assistant'
    return { role, content: `${index} `.padEnd(100, character) }
  })
  const tokens = messages.map(message => message.content.length)
  const model = createModelCheckpoint({
    conversationPosition: count,
    responseIndex: 0,
    cachedTokenIds: tokens,
    layerOffsets: [count, count],
  })
  const { work, floor } = await compare(
    9,
    () => createCheckpoint('task', messages, model),
    () =>
      createHash('sha256')
        .update(JSON.stringify({ messages, model, task: 'task' }))
        .digest('hex'),
  )
  const measured = `${work.toFixed(0)} ms, a bare hash of the JSON ${floor.toFixed(0)} ms`
  record(`createCheckpoint, 100,000 messages, ${name}`, measured, work / floor, bound, '×')
}

async function measureImport() {
  const run = code => execFileSync(process.execPath, ['--input-type=module', '--eval', code], { cwd: root })
  const { work, floor } = await compare(
    21,
    () => run("import 'safepoint'"),
    () => run("import 'xstate'; import 'zod'"),
  )
  const measured = `${work.toFixed(0)} ms, xstate and zod alone ${floor.toFixed(0)} ms, whole process`
  record('importing the package root', measured, work / floor, 2, '×')
}

function measureMemory() {
  const peak = (count, bytes) => {
    const script = fileURLToPath(new URL('run-observations.mjs', import.meta.url))
    return Number(execFileSync(process.execPath, [script, String(count), String(bytes)], { encoding: 'utf8' })) / 1024
  }
  const empty = median([1, 2, 3].map(() => peak(0, 0)))
  const full = median([1, 2, 3].map(() => peak(100, 1_000_000)))
  const measured = `peak ${full.toFixed(0)} MB, an empty run ${empty.toFixed(0)} MB`
  record('100 MB of observations in one run', measured, full - empty, 400, ' MB')
}
