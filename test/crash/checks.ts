import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as library from 'safepoint'
import {
  type AgentCheckpoint,
  type EffectReceipt,
  type ReceiptFields,
  ReceiptStore,
  validateCheckpoint,
} from 'safepoint'
import { expect } from 'vitest'
import { live, openWorkspace, SEED, type Stage, writeScript } from './story.mjs'

/** Contents by path. */
export type Files = Readonly<Record<string, string>>

/** One line of the journal, which is kept outside the workspace and survives every fault. */
interface Entry {
  readonly what: 'leg' | 'execute' | 'ran' | 'executed' | 'kept'
  /** The response that it is about; the one that comes next, for a leg and a checkpoint. */
  readonly index: number
  readonly observation?: string
  readonly checkpoint?: AgentCheckpoint
}

type Effect = Pick<ReceiptFields, 'tool' | 'arguments'>
type ToldEffect = Pick<ReceiptFields, 'tool' | 'arguments' | 'result'>

const TEMPORARY = /(^|\/)\.safepoint-[0-9a-f]{12}\.tmp$/

/** What the workspace holds once the whole story has been told. */
const END: Files = {
  'build.out': 'build is done\n',
  'check.out': 'check is done\n',
  'notes.txt': 'status: closed\n',
  'plan.md': '# Plan\n- settled\n',
  'src/new.txt': 'new\n',
  'src/old.txt': 'old\n',
}

/** Every file under the root, hidden ones included. */
export function readFiles({ root }: Stage): Files {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter(entry => !entry.isDirectory())
  const paths = entries.map(entry => join(entry.parentPath, entry.name))
  return Object.fromEntries(paths.map(path => [path.slice(root.length + 1), readFileSync(path, 'utf8')]))
}

/** The files without the workspace's own temporary ones, and the paths of those. */
export function splitFiles(files: Files): { readonly lasting: Files; readonly temporary: readonly string[] } {
  const entries = Object.entries(files)
  return {
    lasting: Object.fromEntries(entries.filter(([path]) => !TEMPORARY.test(path))),
    temporary: entries.map(([path]) => path).filter(path => TEMPORARY.test(path)),
  }
}

function readJournal({ outside }: Stage): readonly Entry[] {
  const file = join(outside, 'journal')
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  return lines.map(line => JSON.parse(line) as Entry)
}

/** The receipts of a log that is opened anew, every line verified. */
async function reopenReceipts({ outside }: Stage): Promise<readonly EffectReceipt[]> {
  return (await ReceiptStore.open(join(outside, 'receipts.jsonl'))).all()
}

/** What the seed becomes by these effects, one after another. */
export function replay(effects: readonly Effect[]): Files {
  const files: Record<string, string> = { ...SEED }
  for (const { tool, arguments: fields } of effects) {
    const { path = '', content = '', old = '', new: replacement = '', argv } = fields as Record<string, string>
    if (tool === 'run_command') files[`${argv?.[3]}.out`] = `${argv?.[3]} is done\n`
    else files[path] = tool === 'write_file' ? content : String(files[path]).replace(old, replacement)
  }
  return files
}

/** The effect that a response asks for; undefined for one that only looks, is denied, or is no tool call. */
function readEffect(stage: Stage, index: number): Effect | undefined {
  const action = parseJson(writeScript(stage)[index]) as { readonly tool?: Effect['tool']; readonly path?: string }
  const { tool, ...fields } = action
  const isEffect = tool !== undefined && !['list_files', 'read_file'].includes(tool) && fields.path !== 'denied.txt'
  return isEffect ? { tool, arguments: fields } : undefined
}

function parseJson(response: string | undefined): unknown {
  return response?.startsWith('{') ? JSON.parse(response) : {}
}

/** The effect that was started and of which the journal does not say that it came back. */
export function findInFlight(stage: Stage): Effect | undefined {
  const last = readJournal(stage).findLast(({ what }) => what === 'execute' || what === 'executed' || what === 'leg')
  return last?.what === 'execute' ? readEffect(stage, last.index) : undefined
}

/** What a receipt says, for each effect that these entries say came back without an error. */
function toldEffects(stage: Stage, entries: readonly Entry[]): readonly ToldEffect[] {
  return entries.flatMap(({ what, index, observation = '' }) => {
    const effect = what === 'executed' && !observation.startsWith('error: ') ? readEffect(stage, index) : undefined
    return effect ? [{ ...effect, result: observation }] : []
  })
}

function readReceipt({ tool, arguments: fields, result }: EffectReceipt): ToldEffect {
  return { tool, arguments: fields, result }
}

/** The log has a receipt of every effect that came back, in order, and at most one more: of the effect in flight. */
export async function expectReceiptsOfWhatCameBack(stage: Stage): Promise<readonly EffectReceipt[]> {
  const receipts = await reopenReceipts(stage)
  const told = toldEffects(stage, readJournal(stage))
  expect(receipts.slice(0, told.length).map(readReceipt)).toEqual(told)
  const inFlight = findInFlight(stage)
  for (const receipt of receipts.slice(told.length)) expect(receipt).toMatchObject({ ...inFlight })
  expect(receipts.length - told.length).toBeLessThanOrEqual(inFlight ? 1 : 0)
  return receipts
}

/** A checkpoint that was kept ends in an observation, holds exactly what was said and seen, and alternates. */
export function expectWholeCheckpoints(stage: Stage): void {
  const script = writeScript(stage)
  const seen = new Map<number, string>()
  for (const { what, index, observation, checkpoint } of readJournal(stage)) {
    if (what === 'executed') seen.set(index, String(observation))
    if (what !== 'kept') continue
    validateCheckpoint(checkpoint)
    expect(checkpoint.model.responseIndex).toBe(index)
    const [system, task, ...said] = checkpoint.messages
    expect([system?.[0], task?.[0]]).toEqual(['system', 'user'])
    expect(said).toHaveLength(2 * index)
    expect(said).toEqual(
      script.slice(0, index).flatMap((response, at) => [
        ['assistant', response],
        [
          'user',
          `Tool result:\n${seen.get(at) ?? 'error: the response must be exactly one JSON object, with no text around it'}`,
        ],
      ]),
    )
  }
}

/** Nothing that a kept checkpoint records was executed, or took effect, after the checkpoint was kept. */
export function expectNothingAgain(stage: Stage): void {
  let recorded = 0
  const again: Entry[] = []
  for (const entry of readJournal(stage)) {
    if (entry.what === 'kept') recorded = entry.index
    if ((entry.what === 'execute' || entry.what === 'ran') && entry.index < recorded) again.push(entry)
    if (entry.what === 'leg') expect(entry.index).toBe(recorded)
  }
  expect(again).toEqual([])
}

/**
 * The next life goes on from the checkpoint that was kept, or starts anew, and ends as if nothing had happened. The
 * story is one whose every leg leads to the same files, however far it had come before: a new file that is there
 * already is refused, and so is an edit whose old text is gone; a command writes the same file again.
 */
export async function expectToEndWell(stage: Stage): Promise<void> {
  const earlier = { receipts: await reopenReceipts(stage), journal: readJournal(stage) }
  const run = await live(library, stage)
  expect(run).toMatchObject({ completed: true, reason: 'completed', final: 'settled' })
  expect(splitFiles(readFiles(stage)).lasting).toEqual(END)
  expectNothingAgain(stage)
  expectWholeCheckpoints(stage)
  const receipts = await reopenReceipts(stage)
  expect(receipts.slice(0, earlier.receipts.length)).toEqual(earlier.receipts)
  const told = toldEffects(stage, readJournal(stage).slice(earlier.journal.length))
  expect(receipts.slice(earlier.receipts.length).map(readReceipt)).toEqual(told)
}

/** A temporary file that a kill left is neither listed nor read nor written. */
export async function expectOutOfReach(stage: Stage, temporary: readonly string[]): Promise<void> {
  const workspace = openWorkspace(library, stage, ReceiptStore.inMemory())
  for (const path of temporary) {
    const directory = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.'
    expect(await workspace.listFiles(directory)).not.toContain('.safepoint-')
    const refused = { code: 'path_refused' }
    await expect(workspace.readFile(path)).rejects.toMatchObject(refused)
    await expect(workspace.writeFile(path, '')).rejects.toMatchObject(refused)
    await expect(workspace.editFile(path, 'a', 'b')).rejects.toMatchObject(refused)
  }
}
