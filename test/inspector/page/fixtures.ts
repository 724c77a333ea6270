import type { PendingApproval, WireEvent } from '../../../inspector/wire.js'
import { Recorder, recordToBoundary, recordToEnd, type Story, uncut } from './record-run.js'

const DIFF = `--- total.js
+++ total.js
@@ -1,4 +1,4 @@
 #!/usr/bin/env node
 export function total(prices) {
-  return prices.reduce((sum, price) => sum - price, 0)
+  return prices.reduce((sum, price) => sum + price, 0)
 }
`
const SOURCE = `#!/usr/bin/env node
export function total(prices) {
  return prices.reduce((sum, price) => sum - price, 0)
}
`
const TESTED = `status: 0
output:
TAP version 13
# Subtest: the total of three prices
ok 1 - the total of three prices
  ---
  duration_ms: 1.1
  type: 'test'
  ...
1..1
# tests 1
# suites 0
# pass 1
# fail 0
# cancelled 0
# skipped 0
`

const PENDING: PendingApproval = { id: 1, tool: 'edit_file', path: 'total.js', diff: uncut(DIFF) }

/** The demonstration's run: reads, edits, tests, stands at its boundary, goes on with a fresh model. */
const DEMO: Story = {
  script: [
    { tool: 'read_file', path: 'total.js' },
    { tool: 'edit_file', path: 'total.js', old: 'sum - price', new: 'sum + price' },
    { tool: 'run_command', argv: ['node', '--test'] },
    { final: 'total.js subtracted the prices; it adds them now, and the test passes.' },
  ].map(response => JSON.stringify(response)),
  observations: [SOURCE, 'edited total.js', TESTED],
  boundary: 3,
  beforeTool: (recorder, call) => {
    if (call === 1) recorder.tell(recorder.session.addRead('read_file'))
    if (call === 2) {
      recorder.say('approval', { pending: PENDING })
      recorder.say('running', { pending: null }, 1900)
      recorder.tell(recorder.session.addEffect('edit_file', 'edited total.js'))
      recorder.say('running', { files: [{ path: 'total.js', diff: uncut(DIFF) }] })
    }
    if (call === 3) recorder.tell(recorder.session.addEffect('run_command', 'status: 0'))
  },
}

/** The demonstration to its end. */
export async function recordDemo(): Promise<readonly WireEvent[]> {
  const recorder = await Recorder.create()
  await (await recordToBoundary(recorder, DEMO))()
  return recorder.events
}

/** A run of many tool calls, each with the same short observation. */
export async function recordLongRun(toolCalls: number): Promise<readonly WireEvent[]> {
  const recorder = await Recorder.create()
  const script = Array.from({ length: toolCalls }, (_, call) =>
    JSON.stringify({ tool: 'read_file', path: `${call}.js` }),
  )
  await recordToBoundary(recorder, { script, observations: ['found'], boundary: toolCalls })
  return recorder.events
}

/** A run of a given script under given limits, without a boundary. */
export async function recordStory(
  script: readonly string[],
  limits: Parameters<typeof recordToEnd>[2],
): Promise<readonly WireEvent[]> {
  const recorder = await Recorder.create()
  await recordToEnd(recorder, script, limits)
  return recorder.events
}
