import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, lstat, mkdir, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type ConfirmTool, type EffectReceipt, ReceiptStore, type ToolAction, Workspace } from 'safepoint'
import { describe, expect, it } from 'vitest'
import { createTempDir } from '../helpers/temp-dir.js'
import { loadVectors } from '../helpers/vectors.js'

interface FileVector {
  readonly path: string
  readonly type: 'file' | 'dir' | 'symlink' | 'fifo' | 'remove'
  readonly text?: string
  readonly base64?: string
  readonly target?: string
  readonly mode?: string
}

type Step =
  | {
      readonly op: 'execute'
      readonly action: unknown
      readonly id?: string
      readonly confirm?: unknown
      readonly duringConfirm?: readonly FileVector[]
    }
  | { readonly op: 'direct'; readonly method: string; readonly args: readonly unknown[] }
  | { readonly op: 'external'; readonly files: readonly FileVector[] }

interface ExpectedStep {
  readonly observation?: unknown
  readonly value?: unknown
  readonly error?: true
  readonly throws?: true
  readonly confirmCalls?: number
}

interface WorkspaceVector {
  readonly name: string
  readonly files: readonly FileVector[]
  readonly policy: object
  readonly receiptLog?: string
  readonly steps: readonly Step[]
  readonly expected: {
    readonly steps: readonly ExpectedStep[]
    readonly tree?: unknown
    readonly modes?: Readonly<Record<string, string>>
    readonly modifiedFiles?: readonly string[]
    readonly receipts?: readonly unknown[]
    readonly receiptCallIds?: readonly string[]
  }
}

describe.each(['workspace', 'workspace-contract'])('the vectors of %s.json', name => {
  it.each(loadVectors<WorkspaceVector>(name).map(vector => [vector.name, vector] as const))('%s', async (_, vector) => {
    const root = await buildRoot(vector.files)
    const receipts =
      vector.receiptLog === undefined ? ReceiptStore.inMemory() : await ReceiptStore.open(join(root, vector.receiptLog))
    const operator = createOperator(root)
    const workspace = new Workspace({ root, ...vector.policy }, { confirmTool: operator.confirmTool, receipts })

    const seen: ExpectedStep[] = []
    for (const step of vector.steps) {
      const callsBefore = operator.calls
      const outcome = await runStep(workspace, operator, root, step)
      seen.push({ ...outcome, confirmCalls: operator.calls - callsBefore })
    }

    for (const [index, expected] of vector.expected.steps.entries()) {
      expect(describeStep(seen[index], expected), `step ${index}`).toEqual(expected)
    }
    const { tree, modes, modifiedFiles, receipts: recorded, receiptCallIds } = vector.expected
    if (tree !== undefined) expect(await readTree(root)).toEqual(tree)
    if (modes !== undefined) expect(await readModes(root, Object.keys(modes))).toEqual(modes)
    if (modifiedFiles !== undefined) expect(workspace.modifiedFiles).toEqual(modifiedFiles)
    if (recorded !== undefined) expect(receipts.all().map(toVector)).toEqual(recorded)
    if (receiptCallIds !== undefined) expect(receipts.all().map(receipt => receipt.toolCallId)).toEqual(receiptCallIds)
  })
})

interface Operator {
  calls: number
  step: Extract<Step, { op: 'execute' }> | undefined
  readonly confirmTool: ConfirmTool
}

function createOperator(root: string): Operator {
  const operator: Operator = {
    calls: 0,
    step: undefined,
    confirmTool: async () => {
      operator.calls += 1
      const { step } = operator
      await applyFiles(root, step?.duringConfirm ?? [])
      const answer = step !== undefined && 'confirm' in step ? step.confirm : true
      return readAnswer(answer) as boolean
    },
  }
  return operator
}

function readAnswer(answer: unknown): unknown {
  const isPromised = typeof answer === 'object' && answer !== null && '$promise' in answer
  return isPromised ? Promise.resolve(answer.$promise) : answer
}

async function runStep(workspace: Workspace, operator: Operator, root: string, step: Step): Promise<ExpectedStep> {
  if (step.op === 'external') {
    await applyFiles(root, step.files)
    return {}
  }
  if (step.op === 'execute') {
    operator.step = step
    return { observation: await workspace.execute(step.action as ToolAction, undefined, step.id) }
  }
  const methods: Readonly<Record<string, (...args: never[]) => Promise<string>>> = {
    listFiles: workspace.listFiles.bind(workspace),
    readFile: workspace.readFile.bind(workspace),
    writeFile: workspace.writeFile.bind(workspace),
    editFile: workspace.editFile.bind(workspace),
    runCommand: workspace.runCommand.bind(workspace),
  }
  const method = methods[step.method]
  if (method === undefined) throw new Error(`a vector calls the unknown method ${step.method}`)
  try {
    return { value: await method(...(step.args as never[])) }
  } catch {
    return { throws: true }
  }
}

/** What a step came to, in the terms of what is expected of it: only the named facts, a long text as its digest. */
function describeStep(seen: ExpectedStep | undefined, expected: ExpectedStep): ExpectedStep {
  const facts: Record<string, unknown> = { ...seen }
  if (expected.error) {
    facts.error = String(seen?.observation).startsWith('error: ')
    if (facts.error) delete facts.observation
  }
  if (typeof expected.observation === 'object') facts.observation = digestText(String(seen?.observation))
  if (expected.confirmCalls === undefined) delete facts.confirmCalls
  return facts
}

function digestText(text: string): unknown {
  return { $sha256: createHash('sha256').update(text).digest('hex'), codePoints: [...text].length }
}

async function buildRoot(files: readonly FileVector[]): Promise<string> {
  const directory = await createTempDir()
  const root = join(directory, 'root')
  await mkdir(root)
  await mkdir(join(directory, 'outside'))
  await writeFile(join(directory, 'outside', 'secret.txt'), 'secret')
  await applyFiles(root, files)
  return root
}

async function applyFiles(root: string, files: readonly FileVector[]): Promise<void> {
  for (const file of files) {
    const path = join(root, file.path)
    await mkdir(dirname(path), { recursive: true })
    if (file.type === 'remove') await rm(path, { recursive: true })
    else if (file.type === 'dir') await mkdir(path, { recursive: true })
    else if (file.type === 'symlink') await symlink(String(file.target), path)
    else if (file.type === 'fifo') execFileSync('mkfifo', [path])
    else {
      await writeFile(path, file.base64 === undefined ? String(file.text) : Buffer.from(file.base64, 'base64'))
      if (file.mode !== undefined) await chmod(path, Number.parseInt(file.mode, 8))
    }
  }
}

async function readTree(root: string, below = ''): Promise<Readonly<Record<string, unknown>>> {
  const tree: Record<string, unknown> = {}
  for (const entry of await readdir(join(root, below), { withFileTypes: true })) {
    const name = join(below, entry.name)
    if (entry.isDirectory()) Object.assign(tree, { [name]: { type: 'dir' } }, await readTree(root, name))
    else if (entry.isSymbolicLink()) tree[name] = { type: 'symlink', target: await readlink(join(root, name)) }
    else if (entry.isFIFO()) tree[name] = { type: 'fifo' }
    else tree[name] = { type: 'file', base64: (await readFile(join(root, name))).toString('base64') }
  }
  return tree
}

async function readModes(root: string, paths: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const modes: Record<string, string> = {}
  for (const path of paths) modes[path] = ((await lstat(join(root, path))).mode & 0o7777).toString(8)
  return modes
}

function toVector(receipt: EffectReceipt): unknown {
  return {
    receipt_id: receipt.receiptId,
    tool_call_id: receipt.toolCallId,
    tool: receipt.tool,
    arguments: receipt.arguments,
    exit_state: receipt.exitState,
    result: receipt.result,
    changed_artifacts: receipt.changedArtifacts,
  }
}
