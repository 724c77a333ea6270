import type { AgentCheckpoint, EffectReceipt, ToolAction } from '../index.js'
import type { MachineStep } from './state-inspection.js'

/** One fact, at the boundary and at the end; `before` is `null` for a fact that only the end has. */
export interface Evidence {
  readonly name: string
  readonly before: string | null
  readonly after: string
  readonly holds: boolean
}

/** A file of the demonstration's project; `mode` is octal. */
export interface ProjectFile {
  readonly path: string
  readonly mode: string
  readonly content: string
}

/** What the demonstration reports as it happens; with `--json` each is one line. */
export type DemoEvent =
  | { readonly type: 'project'; readonly root: string; readonly task: string; readonly test: string }
  | MachineStep
  | { readonly type: 'approval'; readonly action: ToolAction; readonly approved: boolean }
  | { readonly type: 'checkpoint'; readonly checkpoint: AgentCheckpoint }
  | { readonly type: 'freshModel'; readonly responseIndex: number }
  | { readonly type: 'receipt'; readonly receipt: EffectReceipt }
  | { readonly type: 'file'; readonly file: ProjectFile }
  | { readonly type: 'evidence'; readonly evidence: Evidence }
  /** Where the run is to be seen. */
  | { readonly type: 'inspector'; readonly url: string }
  /** A report or a trace that was written. */
  | { readonly type: 'saved'; readonly file: string }
  | { readonly type: 'result'; readonly holds: boolean }
