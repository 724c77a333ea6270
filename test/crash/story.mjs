// One story that is told in lives: each life ends in a fault, and the next one goes on from what is on the disk. It is
// plain JavaScript that takes the library as a parameter, so that the same story runs in a test, from the sources, and
// in a process of its own that can be killed, from `dist/`.
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { basename, join } from 'node:path'

/**
 * @typedef {object} Stage
 * @property {string} root - What the workspace sees.
 * @property {string} outside - What it does not: the receipt log, the kept checkpoint, the journal, the commands' signs.
 */
/** @typedef {'model' | 'tool' | 'approval' | 'temporary' | 'command' | 'receipt' | 'event' | 'save' | 'restore' | 'keep'} Kind */
/** @typedef {{ readonly kind: Kind, readonly name: string }} Place */
/** @typedef {typeof import('safepoint')} Library */
/** @typedef {import('safepoint').ToolAction} ToolAction */
/** @typedef {import('safepoint').AgentCheckpoint} AgentCheckpoint */

const TASK = 'Settle the notes and the plan.'
const CALLS_PER_LEG = 2
const POLL_MILLISECONDS = 1
const PATIENCE_MILLISECONDS = 15_000

/** What stands in the workspace when the story begins. */
export const SEED = Object.freeze({ 'notes.txt': 'status: open\n', 'src/old.txt': 'old\n' })

// A command says who it is, waits until it may go on (some ten seconds at most), says that it ran, and has one effect.
const COMMAND = `
echo $$ > "$1/$0.started"
n=0
while [ ! -e "$1/$0.go" ] && [ $n -lt 5000 ]; do n=$((n + 1)); [ $n -lt 4000 ] || sleep 0.01; done
echo "{\\"what\\":\\"ran\\",\\"index\\":$2}" >> "$1/journal"
echo "$0 is done" > "$0.out"
echo "$0"`

/**
 * Every response of the story, in order. Ten of them are actions, one is invalid, the last one is final. A read and the
 * edit that needs it stand in the same leg, since each leg has a workspace of its own.
 *
 * @param {Stage} stage
 * @returns {readonly string[]}
 */
export function writeScript({ outside }) {
  return [
    { tool: 'list_files' },
    { tool: 'write_file', path: 'plan.md', content: '# Plan\n- draft\n' },
    { tool: 'read_file', path: 'notes.txt' },
    { tool: 'edit_file', path: 'notes.txt', old: 'open', new: 'closed' },
    '```json\n{"tool":"list_files"}\n```',
    { tool: 'run_command', argv: ['sh', '-c', COMMAND, 'build', outside, '5'] },
    { tool: 'write_file', path: 'src/new.txt', content: 'new\n' },
    { tool: 'read_file', path: 'plan.md' },
    { tool: 'edit_file', path: 'plan.md', old: 'draft', new: 'settled' },
    { tool: 'write_file', path: 'denied.txt', content: 'never\n' },
    { tool: 'run_command', argv: ['sh', '-c', COMMAND, 'check', outside, '10'] },
    { final: 'settled' },
  ].map(response => (typeof response === 'string' ? response : JSON.stringify(response)))
}

/**
 * Sets the stage in a directory that exists.
 *
 * @param {string} base
 * @returns {Stage}
 */
export function setStage(base) {
  const stage = { root: join(base, 'root'), outside: join(base, 'outside') }
  mkdirSync(join(stage.root, 'src'), { recursive: true })
  mkdirSync(stage.outside)
  for (const [path, content] of Object.entries(SEED)) writeFileSync(join(stage.root, path), content)
  return stage
}

/**
 * The checkpoint that was kept last, if one was.
 *
 * @param {Stage} stage
 * @returns {AgentCheckpoint | undefined}
 */
export function readKept({ outside }) {
  const file = join(outside, 'checkpoint.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

/**
 * A workspace as each leg gets it.
 *
 * @param {Library} library
 * @param {Stage} stage
 * @param {import('safepoint').ReceiptStore} receipts
 * @param {(action: ToolAction) => void} onAsk
 */
export function openWorkspace(library, stage, receipts, onAsk = () => undefined) {
  const allowedCommands = writeScript(stage).flatMap(response => /"argv"/.test(response) && [JSON.parse(response).argv])
  const policy = {
    root: stage.root,
    allowWrites: true,
    allowedCommands: allowedCommands.filter(argv => argv !== false),
  }
  /** @param {ToolAction} action */
  const confirmTool = action => {
    onAsk(action)
    return !('path' in action.arguments && action.arguments.path === 'denied.txt')
  }
  return new library.Workspace(policy, { confirmTool, receipts })
}

/**
 * One life: goes on from the kept checkpoint, or starts anew if there is none, leg after leg to the final answer.
 * Whatever was under way when it fails is over when the promise settles.
 *
 * @param {Library} library
 * @param {Stage} stage
 * @param {object} [options]
 * @param {(place: Place) => void} [options.at] - Called at each place of the story; may throw, abort, or kill.
 * @param {AbortSignal} [options.signal]
 * @returns {Promise<import('safepoint').AgentRun>}
 */
export async function live(library, stage, { at = () => undefined, signal } = {}) {
  /** @type {Set<Promise<unknown>>} */
  const underWay = new Set()
  let current = ''
  const restoreFiles = watchTemporaryFiles(stage, name =>
    at({ kind: 'temporary', name: `${name} of response ${current}` }),
  )
  try {
    for (;;) {
      const leg = await openLeg(library, stage, at, underWay, tool => {
        current = tool
      })
      try {
        keep(stage, await leg.run(signal), at)
      } catch (fault) {
        if (fault instanceof library.RunEndedError) return fault.run
        throw fault
      }
    }
  } finally {
    await Promise.allSettled(underWay)
    restoreFiles()
  }
}

/**
 * A fresh model, the receipt log opened again, and a new workspace over it.
 *
 * @param {Library} library
 * @param {Stage} stage
 * @param {(place: Place) => void} at
 * @param {Set<Promise<unknown>>} underWay
 * @param {(tool: string) => void} onExecute - Called with the place and the name of each tool that is to run.
 */
async function openLeg(library, stage, at, underWay, onExecute) {
  const script = new library.ScriptedModel(writeScript(stage))
  const lastIndex = () => script.responseIndex - 1
  const receipts = await library.ReceiptStore.open(join(stage.outside, 'receipts.jsonl'))
  const put = receipts.put.bind(receipts)
  receipts.put = async receipt => {
    at({ kind: 'receipt', name: `before the receipt of response ${lastIndex()}` })
    await put(receipt)
    at({ kind: 'receipt', name: `after the receipt of response ${lastIndex()}` })
  }
  const inner = openWorkspace(library, stage, receipts, () => {
    at({ kind: 'approval', name: `while the operator is asked about response ${lastIndex()}` })
  })

  const model = {
    /** @param {readonly import('safepoint').Message[]} messages */
    generate(messages) {
      const index = script.responseIndex
      at({ kind: 'model', name: `before model call ${index}` })
      const response = script.generate(messages)
      at({ kind: 'model', name: `after model call ${index}` })
      return response
    },
    /** @param {readonly import('safepoint').Message[]} messages */
    saveCheckpoint(messages) {
      at({ kind: 'save', name: `before the save after response ${lastIndex()}` })
      const snapshot = script.saveCheckpoint(messages)
      at({ kind: 'save', name: `after the save after response ${lastIndex()}` })
      return snapshot
    },
    /** @param {import('safepoint').ModelCheckpoint} snapshot */
    restoreCheckpoint(snapshot) {
      at({ kind: 'restore', name: `before the restore to response ${snapshot.responseIndex}` })
      script.restoreCheckpoint(snapshot)
      at({ kind: 'restore', name: `after the restore to response ${snapshot.responseIndex}` })
    },
  }

  const workspace = {
    availableTools: inner.availableTools,
    allowedCommands: inner.allowedCommands,
    get modifiedFiles() {
      return inner.modifiedFiles
    },
    /**
     * @param {ToolAction} action
     * @param {AbortSignal} [signal]
     */
    async execute(action, signal) {
      const index = lastIndex()
      const tool = `${index} (${action.tool})`
      onExecute(tool)
      at({ kind: 'tool', name: `before the tool of response ${tool}` })
      note(stage, { what: 'execute', index })
      const execution = watchCommand(
        stage,
        action,
        () => inner.execute(action, signal),
        () => at({ kind: 'command', name: `in the middle of the command of response ${index}` }),
      )
      underWay.add(execution)
      const observation = await execution
      note(stage, { what: 'executed', index, observation })
      at({ kind: 'tool', name: `after the tool of response ${tool}` })
      return observation
    },
  }

  return {
    /** @param {AbortSignal | undefined} signal */
    run(signal) {
      const onEvent = () => at({ kind: 'event', name: `at the event of response ${lastIndex()}` })
      const options = { afterToolCalls: CALLS_PER_LEG, signal, onEvent }
      const kept = readKept(stage)
      note(stage, { what: 'leg', index: kept?.model.responseIndex ?? 0 })
      return kept === undefined
        ? library.runToCheckpoint(TASK, model, workspace, options)
        : library.resumeToCheckpoint(kept, model, workspace, options)
    },
  }
}

/**
 * Keeps a checkpoint so that a kill leaves the earlier one or this one.
 *
 * @param {Stage} stage
 * @param {AgentCheckpoint} checkpoint
 * @param {(place: Place) => void} at
 */
function keep(stage, checkpoint, at) {
  const index = checkpoint.model.responseIndex
  const file = join(stage.outside, 'checkpoint.json')
  at({ kind: 'keep', name: `before the checkpoint at response ${index} is kept` })
  writeFileSync(`${file}.new`, JSON.stringify(checkpoint))
  renameSync(`${file}.new`, file)
  note(stage, { what: 'kept', index, checkpoint })
  at({ kind: 'keep', name: `after the checkpoint at response ${index} is kept` })
}

/**
 * @param {Stage} stage
 * @param {object} entry
 */
function note({ outside }, entry) {
  appendFileSync(join(outside, 'journal'), `${JSON.stringify(entry)}\n`)
}

/**
 * The process that leads the group of a command, once the command has said that it has started.
 *
 * @param {Stage} stage
 * @param {string} name
 * @returns {number | undefined}
 */
export function readPid({ outside }, name) {
  const file = join(outside, `${name}.started`)
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  return text.endsWith('\n') ? Number(text) : undefined
}

/**
 * Runs a tool; if it is a command, calls `inTheMiddle` once it has said that it has started, then lets it go on.
 *
 * @param {Stage} stage
 * @param {ToolAction} action
 * @param {() => Promise<string>} execute
 * @param {() => void} inTheMiddle
 * @returns {Promise<string>}
 */
async function watchCommand(stage, action, execute, inTheMiddle) {
  if (action.tool !== 'run_command') return execute()
  const name = String(action.arguments.argv[3])
  const sign = join(stage.outside, name)
  for (const ending of ['started', 'go']) rmSync(`${sign}.${ending}`, { force: true })
  let isOver = false
  const watching = (async () => {
    const deadline = performance.now() + PATIENCE_MILLISECONDS
    while (!isOver && readPid(stage, name) === undefined && performance.now() < deadline) {
      await new Promise(resolve => setTimeout(resolve, POLL_MILLISECONDS))
    }
    if (!isOver) inTheMiddle()
    writeFileSync(`${sign}.go`, '')
  })()
  try {
    return await execute()
  } finally {
    isOver = true
    await watching
  }
}

/**
 * Calls `at` around the steps by which a temporary file becomes a file of the workspace. The functions of `node:fs` are
 * replaced for everybody, and put back by the function that is answered.
 *
 * @param {Stage} stage
 * @param {(name: string) => void} at
 */
function watchTemporaryFiles({ root }, at) {
  const { open, link, rename } = fs
  /** @param {unknown} path */
  const isOurs = path => String(path).startsWith(root) && basename(String(path)).startsWith('.safepoint-')
  Object.assign(fs, {
    /** @param {Parameters<typeof open>} parameters */
    async open(...parameters) {
      const handle = await open(...parameters)
      if (isOurs(parameters[0])) at('when the temporary file is empty')
      return handle
    },
    /** @param {Parameters<typeof link>} parameters */
    link: (...parameters) => claim(() => link(...parameters), parameters[0]),
    /** @param {Parameters<typeof rename>} parameters */
    rename: (...parameters) => claim(() => rename(...parameters), parameters[0]),
  })
  syncBuiltinESMExports()
  /**
   * @param {() => Promise<void>} step
   * @param {unknown} from
   */
  async function claim(step, from) {
    if (isOurs(from)) at('before the temporary file gets the name')
    await step()
    if (isOurs(from)) at('after the temporary file got the name')
  }
  return () => {
    Object.assign(fs, { open, link, rename })
    syncBuiltinESMExports()
  }
}
