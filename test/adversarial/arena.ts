import { chmodSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  type AgentEvent,
  type AgentLimits,
  type AgentRun,
  type ConfirmTool,
  type Model,
  ReceiptStore,
  runAgent,
  ScriptedModel,
  type ToolPolicyInput,
  Workspace,
} from 'safepoint'
import { expect } from 'vitest'
import { createTempDir } from '../helpers/temp-dir.js'

/** What lies outside the root, or is protected, and must never come into a conversation. */
export const SECRET = 'the secret that nobody may see'
export const FINAL = 'went on to the end'

/** What stands at each path of a tree: the content of a file, or where a link points. */
type Tree = Readonly<Record<string, string>>

export interface Arena {
  /** The directory in which the root lies, with its sibling `ws-evil` and with `outside`. */
  readonly base: string
  readonly root: string
}

interface Setting {
  readonly policy?: Omit<ToolPolicyInput, 'root'>
  readonly confirmTool?: ConfirmTool
  readonly limits?: Partial<AgentLimits>
}

/** What came of a run. */
export interface Outcome {
  readonly run: AgentRun
  readonly events: readonly AgentEvent[]
  /** What the model was told, before its final answer. */
  readonly observations: readonly string[]
  readonly receipts: ReceiptStore
  /** What stands in the root afterwards. */
  readonly inside: Tree
}

/** A root with a few files, and beside it what must not be touched. */
export async function createArena(files: Readonly<Record<string, string>> = {}): Promise<Arena> {
  const base = await createTempDir()
  const root = join(base, 'ws')
  putFiles(root, { 'a.txt': 'inside', 'src/b.txt': 'inside', ...files })
  putFiles(base, { 'ws-evil/secret.txt': SECRET, 'outside/secret.txt': SECRET, 'outside/deep/secret.txt': SECRET })
  return { base, root }
}

export function putFiles(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
    if (content.startsWith('#!')) chmodSync(join(root, path), 0o755)
  }
}

/** Everything below a directory, links not followed. */
export function readTree(directory: string): Tree {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true })
  const paths = entries.flatMap(entry => {
    const path = join(entry.parentPath, entry.name)
    const shown = path.slice(directory.length + 1)
    if (entry.isSymbolicLink()) return [[shown, `link to ${readlinkSync(path)}`]]
    return [[shown, entry.isFile() ? readFileSync(path, 'latin1') : 'a directory']]
  })
  return Object.fromEntries(paths) as Tree
}

/**
 * Plays responses, and a final answer after them, through the real loop over a real workspace. Asserts what holds for
 * every row: the run goes on to its final answer, nothing outside the root has changed, and no secret was told.
 */
export async function meet(arena: Arena, script: readonly string[] | Model, setting: Setting = {}): Promise<Outcome> {
  const isScript = Array.isArray(script)
  const final = JSON.stringify({ final: FINAL })
  const model = isScript ? new ScriptedModel([...(script as readonly string[]), final]) : (script as Model)
  const outside = readOutside(arena)
  const receipts = ReceiptStore.inMemory()
  const policy = { root: arena.root, allowWrites: true, ...setting.policy }
  const workspace = new Workspace(policy, { confirmTool: setting.confirmTool ?? (() => true), receipts })
  const run = await runAgent('Try it.', model, workspace, { limits: { maxSteps: 20, ...setting.limits } })

  expect(run).toMatchObject({ completed: true, reason: 'completed', final: FINAL })
  expect(readOutside(arena)).toEqual(outside)
  const observations = run.events.slice(0, -1).map(({ result }) => String(result))
  if (isScript) expect(observations).toHaveLength(script.length)
  for (const told of [...observations, ...receipts.all().map(({ result }) => result)])
    expect(told).not.toContain(SECRET)
  return { run, events: run.events, observations, receipts, inside: readTree(arena.root) }
}

/** Each observation is an error that the model can act on: a sentence that says what is wrong, with no path of ours. */
export function expectErrors(observations: readonly string[], arena: Arena): void {
  for (const observation of observations) {
    expect(observation).toMatch(/^error: .{15,}/s)
    expect(observation.length).toBeLessThan(600)
    expect(observation).not.toContain(arena.base)
  }
}

function readOutside({ base, root }: Arena): Tree {
  const entries = Object.entries(readTree(base))
  const name = root.slice(base.length + 1)
  return Object.fromEntries(entries.filter(([path]) => path !== name && !path.startsWith(`${name}/`)))
}

export function listing(path: string): string {
  return JSON.stringify({ tool: 'list_files', path })
}

export function reading(path: string): string {
  return JSON.stringify({ tool: 'read_file', path })
}

export function writing(path: string, content = 'owned'): string {
  return JSON.stringify({ tool: 'write_file', path, content })
}

export function editing(path: string, old = 'secret', replacement = 'owned'): string {
  return JSON.stringify({ tool: 'edit_file', path, old, new: replacement })
}

export function running(...argv: readonly string[]): string {
  return JSON.stringify({ tool: 'run_command', argv })
}

/** One of each, all of the same path. */
export function everyFileTool(path: string): readonly string[] {
  return [listing(path), reading(path), editing(path), writing(path)]
}
