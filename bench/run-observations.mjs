// A run of its own process whose observations are flat ASCII strings; prints its peak resident size in kilobytes.
// Usage: node bench/run-observations.mjs COUNT BYTES
import { runAgent, ScriptedModel } from '../dist/src/index.js'

const [count, bytes] = process.argv.slice(2).map(Number)
const responses = Array.from({ length: count }, (_, index) => `{"tool":"read_file","path":"${index}"}`)
const workspace = {
  availableTools: new Set(['read_file']),
  modifiedFiles: [],
  execute: action => Buffer.alloc(bytes, `observation ${action.arguments.path} `).toString('latin1'),
}
const limits = { maxSteps: count + 1, maxContextChars: Number.MAX_SAFE_INTEGER }
const run = await runAgent('read', new ScriptedModel([...responses, '{"final":"done"}']), workspace, { limits })
if (!run.completed) throw new Error(`the run ended with ${run.reason}`)
console.log(process.resourceUsage().maxRSS)
