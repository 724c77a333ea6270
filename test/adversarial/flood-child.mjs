// Runs the loop over a command that prints without end, in a process of its own whose memory can be measured:
// `node flood-child.mjs ROOT COMMAND` (JSON). Prints what came of it as JSON.
import { runAgent, ScriptedModel, Workspace } from '../../dist/src/index.js'

const [root = '', command = '[]'] = process.argv.slice(2)
const argv = JSON.parse(command)
const flood = JSON.stringify({ tool: 'run_command', argv })

async function run() {
  const workspace = new Workspace({ root, allowedCommands: [argv, ['true']] }, { confirmTool: () => true })
  const script = [flood, '{"tool":"list_files"}', '{"final":"went on to the end"}']
  return runAgent('Try it.', new ScriptedModel(script), workspace)
}

const before = process.memoryUsage.rss()
const began = performance.now()
const { reason, final, events } = await run()
// The highest that it ever was, not what is left of it now.
const grownBytes = process.resourceUsage().maxRSS * 1024 - before
const observations = events.map(({ result }) => result)
console.log(JSON.stringify({ reason, final, observations, grownBytes, seconds: (performance.now() - began) / 1000 }))
