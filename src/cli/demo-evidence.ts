import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

import type { AgentRun, EffectReceipt } from '../index.js'
import type { Evidence, ProjectFile } from './demo-events.js'
import { MENDED } from './demo-project.js'

/** What can be counted at any moment of the demonstration. */
export interface Tally {
  readonly approvals: number
  readonly receipts: readonly EffectReceipt[]
  readonly executions: ReadonlyMap<string, number>
}

/** The same, with the mended file; undefined when the boundary was not reached. */
export interface Moment extends Tally {
  readonly file: ProjectFile | undefined
}

/** The mended file as it is on the disk. At once, so that the boundary is shown as it was when it was reached. */
export function readMendedFile(root: string): ProjectFile {
  const file = join(root, MENDED.path)
  const { mode } = statSync(file)
  return { path: MENDED.path, mode: (mode & 0o777).toString(8), content: readFileSync(file, 'utf8') }
}

/** The facts of the demonstration, each held against what it must be. */
export function gatherEvidence(
  testBefore: string,
  atBoundary: Moment,
  atEnd: Moment,
  run: AgentRun,
): readonly Evidence[] {
  const files = [atBoundary.file, atEnd.file]
  const commands = atEnd.receipts.filter(receipt => receipt.tool === 'run_command')
  return [
    same('approvals asked for', String(atBoundary.approvals), String(atEnd.approvals)),
    same('receipts', String(atBoundary.receipts.length), String(atEnd.receipts.length)),
    ...atEnd.receipts.map((receipt, index) =>
      same(`receipt ${receipt.toolCallId}, ${receipt.tool}`, shortId(atBoundary.receipts[index]), shortId(receipt)),
    ),
    ...[...atEnd.executions].map(([tool, times]) => {
      const before = atBoundary.executions.get(tool) ?? 0
      return { ...same(`${tool} executed`, `${before}×`, `${times}×`), holds: before === 1 && times === 1 }
    }),
    {
      ...same(`content of ${MENDED.path}`, describeContent(atBoundary.file), describeContent(atEnd.file)),
      holds: files.every(file => file?.content === MENDED.content),
    },
    {
      ...same(`permission bits of ${MENDED.path}`, atBoundary.file?.mode ?? 'none', atEnd.file?.mode ?? 'none'),
      holds: files.every(file => file?.mode === MENDED.mode.toString(8)),
    },
    expected(
      'the test',
      `${firstLine(commands.at(-1)?.result)}, before the run ${testBefore}`,
      testBefore === 'status: 1' && commands.every(receipt => receipt.exitState === 'ok'),
    ),
    expected('the run', run.reason, run.completed && commands.length === 1),
  ]
}

/** The first line of an observation; the status of a command stands there. */
export function firstLine(text = ''): string {
  return text.split('\n', 1)[0] ?? ''
}

function describeContent(file: ProjectFile | undefined): string {
  return file?.content === MENDED.content ? 'as edited' : 'not as edited'
}

function same(name: string, before: string, after: string): Evidence {
  return { name, before, after, holds: before === after }
}

function expected(name: string, after: string, holds: boolean): Evidence {
  return { name, before: null, after, holds }
}

function shortId(receipt: EffectReceipt | undefined): string {
  return receipt === undefined ? 'none' : `${receipt.receiptId.slice(0, 16)}…`
}
