import type { LaidOutState, Phase } from '../../wire.js'
import type { ChartView } from '../model/chart-view.js'
import { wrapText } from './wrap-text.js'

interface Props {
  readonly state: LaidOutState
  readonly view: ChartView
  /** How the session stood at the instant. */
  readonly phase: Phase | undefined
  readonly onState: (path: string) => void
  /** A state is pointed at, or none any more. */
  readonly onPoint: (path: string | null) => void
}

const NAME_HEIGHT = 26
const LINE_HEIGHT = 12.5
const CHARACTER = 5.4

/** One state: a button that goes to the newest step in it. */
export function ChartState({ state, view, phase, onState, onPoint }: Props) {
  const { id, key, isInitial, x, y, width, height, type, tags, invokes, description } = state
  const isCurrent = view.current.has(id)
  const isOver = phase === 'failed' || phase === 'aborted'
  const texts = readTexts(state)
  const classes = [
    'state',
    type,
    isCurrent && 'on',
    tags.includes('boundary') && 'safe',
    phase === 'failed' && 'failed',
  ]
    .filter(Boolean)
    .join(' ')
  const nameY = texts.length === 0 && type !== 'compound' ? y + height / 2 + 5 : y + 20
  return (
    // biome-ignore lint/a11y/useSemanticElements: there is no button inside SVG
    <g
      class={classes}
      data-state={id}
      role="button"
      tabIndex={0}
      aria-label={[key, isCurrent ? 'current' : '', description, ...invokes.map(name => `invokes ${name}`)]
        .filter(Boolean)
        .join(', ')}
      aria-current={isCurrent ? 'step' : undefined}
      onClick={() => onState(id)}
      onMouseEnter={() => onPoint(id)}
      onMouseLeave={() => onPoint(null)}
      onFocus={() => onPoint(id)}
      onBlur={() => onPoint(null)}
      onKeyDown={event => {
        if (event.key !== 'Enter' && event.key !== ' ') return
        event.preventDefault()
        onState(id)
      }}
    >
      <rect class="box" x={x} y={y} width={width} height={height} rx={type === 'compound' ? 12 : 8} />
      {type === 'final' && <rect class="inner" x={x + 3} y={y + 3} width={width - 6} height={height - 6} rx={6} />}
      <text class="name" x={x + width / 2} y={nameY}>
        {key}
      </text>
      {texts.map((text, index) => (
        <text key={text} class="text" x={x + width / 2} y={y + NAME_HEIGHT + 9 + index * LINE_HEIGHT}>
          {text}
        </text>
      ))}
      {isInitial && <circle class="initial" cx={x - 14} cy={y + height / 2} r={3.5} />}
      {isInitial && <path class="initial" d={`M${x - 14} ${y + height / 2}h13`} marker-end="url(#head-idle)" />}
      {isCurrent && invokes.length > 0 && !isOver && (
        <circle class="busy" cx={x + width - 1} cy={y + 1} r={6} pathLength={1} />
      )}
    </g>
  )
}

/** As much of what the state is for as there is room for. */
function readTexts({ width, height, type, description, invokes }: LaidOutState): readonly string[] {
  if (type === 'compound') return []
  const room = Math.floor((height - NAME_HEIGHT - 4) / LINE_HEIGHT)
  const invoking = invokes.map(name => `invoke ${name}`)
  if (room < 1) return []
  const rest = room - invoking.length
  return [...invoking, ...(rest > 0 ? wrapText(description, Math.floor((width - 14) / CHARACTER), rest) : [])].slice(
    0,
    room,
  )
}
