import { GATE_SIZE, type LaidOutTransition } from '../../wire.js'
import type { GateView } from '../model/gate.js'
import { wrapText } from './wrap-text.js'

interface Props {
  readonly transition: LaidOutTransition
  readonly view: GateView
  readonly isRefused: boolean
}

const { width: WIDTH, height: HEIGHT } = GATE_SIZE
const POST = 7
const ARM_Y = 12
const ARM = WIDTH / 2 - POST

/** The one guarded transition that a checkpoint goes through, drawn as what it is: a gate, open or shut. */
export function Gate({ transition, view, isRefused }: Props) {
  const { x, y } = findCentre(transition)
  const word = view.isOpen ? 'open' : 'shut'
  const reasons = wrapText(view.reason, 24, 2)
  // Two lines of a reason need the room of the third.
  const top = reasons.length > 1 ? 29 : 36
  return (
    <g class={`gate ${word}`} transform={`translate(${x - WIDTH / 2} ${y - HEIGHT / 2})`} data-gate={word}>
      <rect class="ground" width={WIDTH} height={HEIGHT} rx={6} />
      <rect class="post" width={POST} height={HEIGHT} rx={3} />
      <rect class="post" x={WIDTH - POST} width={POST} height={HEIGHT} rx={3} />
      <g class="arm left">
        <rect x={POST} y={ARM_Y - 4} width={ARM} height={8} rx={2} />
        <path d={stripes(POST)} />
      </g>
      <g class="arm right">
        <rect x={WIDTH / 2} y={ARM_Y - 4} width={ARM} height={8} rx={2} />
        <path d={stripes(WIDTH / 2)} />
      </g>
      <text class="word" x={WIDTH / 2} y={top}>
        {view.isOpen ? 'GATE OPEN' : 'GATE SHUT'}
      </text>
      <text class="guard" x={WIDTH / 2} y={top + 13}>
        {isRefused && <tspan class="cross">✕ </tspan>}
        <tspan class={isRefused ? 'struck' : ''}>{transition.guard}</tspan>
      </text>
      {reasons.map((line, index) => (
        <text key={line} class="reason" x={WIDTH / 2} y={top + 26 + index * 12}>
          {line}
        </text>
      ))}
    </g>
  )
}

/** In the middle of its label's place; of its line, when it has none. */
function findCentre({ label, points }: LaidOutTransition): { readonly x: number; readonly y: number } {
  if (label) return { x: label.x + label.width / 2, y: label.y + label.height / 2 }
  const middle = Math.floor((points.length - 1) / 2)
  const [a, b] = [points[middle], points[middle + 1]]
  return a && b ? { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 } : (a ?? { x: 0, y: 0 })
}

function stripes(from: number): string {
  const places = Array.from({ length: Math.floor(ARM / 16) }, (_, index) => from + 6 + index * 16)
  return places.map(place => `M${place} ${ARM_Y + 4}l6-8h6l-6 8z`).join('')
}
