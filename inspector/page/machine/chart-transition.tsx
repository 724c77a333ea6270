import type { LaidOutTransition } from '../../wire.js'
import { isLeftOf, toPath } from './path.js'

type LineState = 'idle' | 'taken' | 'refused'

interface LineProps {
  readonly transition: LaidOutTransition
  readonly state: LineState
}

/** The line of a transition. The one that was just taken is drawn as it goes. */
export function TransitionLine({ transition, state }: LineProps) {
  const d = toPath(transition.points)
  return (
    <g class={`line ${state}`} data-transition={transition.id} data-state={state}>
      <path d={d} marker-end={`url(#head-${state})`} />
      {state === 'taken' && <path class="flow" d={d} pathLength={1} />}
    </g>
  )
}

interface LabelProps extends LineProps {
  readonly reason: string | undefined
}

const LINE_HEIGHT = 14

/** Its event and guard. A guard that said no is struck out, and says why. */
export function TransitionLabel({ transition, state, reason }: LabelProps) {
  const { label } = transition
  if (label === null) return null
  const lines = label.text.split('\n')
  // Beside its line, a label ends or begins there.
  const isLeft = isLeftOf(label, transition.points)
  const x = isLeft ? label.x + label.width - 4 : label.x + 4
  return (
    <g class={`label ${state}`}>
      {reason !== undefined && <title>refused: {reason}</title>}
      {lines.map((line, index) => {
        const isStruck = state === 'refused' && line.startsWith('[')
        return (
          <text key={line} text-anchor={isLeft ? 'end' : 'start'} x={x} y={label.y + 11 + index * LINE_HEIGHT}>
            {isStruck && <tspan class="cross">✕ </tspan>}
            <tspan class={isStruck ? 'struck' : ''}>{line}</tspan>
          </text>
        )
      })}
    </g>
  )
}
