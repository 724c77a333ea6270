/**
 * The place of the gate: the label of the boundary's guarded eventless transition is given this room, in CSS pixels, on
 * the line itself and not beside it (ELK's `elk.edgeLabels.inline`), so that the line goes through the gate.
 */
export const GATE_SIZE = { width: 176, height: 72 } as const

/**
 * Where the chart is drawn; coordinates in CSS pixels, from the top left of the chart. The page fits it into about
 * 560 by 520, with texts of 11 to 14 pixels: the nearer to that it is laid out, the better it is to be read. Sizes are
 * measured for a state's key at 14 px in the first 32 px of its box, and for labels at 11 px with lines of 14 px, in a
 * sans-serif face.
 */
export interface ChartLayout {
  readonly width: number
  readonly height: number
  readonly states: readonly LaidOutState[]
  readonly transitions: readonly LaidOutTransition[]
}

export interface LaidOutState {
  /** The path from the root: `maybeCheckpoint.boundary`. */
  readonly id: string
  readonly key: string
  readonly description: string
  readonly tags: readonly string[]
  readonly invokes: readonly string[]
  readonly type: 'atomic' | 'compound' | 'final'
  readonly parent: string | null
  /** Whether the state around it (or the machine) begins with it. */
  readonly isInitial?: boolean
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface LaidOutTransition {
  readonly id: string
  readonly source: string
  readonly target: string
  /** `''` for an eventless one; `xstate.done.actor.callModel` and the like otherwise. */
  readonly event: string
  readonly guard: string | null
  /** Its order among the transitions of its source for the same event: an earlier one that was not taken was refused. */
  readonly order: number
  /** Set for the boundary's gate: the first guarded eventless transition of a state with the tag `boundary`. */
  readonly isGate?: true
  /** Corner points of the line, first to last. Transitions between the same two states share one line. */
  readonly points: readonly { readonly x: number; readonly y: number }[]
  /**
   * The event, then the guard in brackets: two lines with `\n` between, or one of them. An event that stands right above
   * on the same line is not said again.
   */
  readonly label: {
    readonly text: string
    readonly x: number
    readonly y: number
    readonly width: number
    readonly height: number
  } | null
}
