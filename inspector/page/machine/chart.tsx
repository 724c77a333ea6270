import { useLayoutEffect, useRef } from 'preact/hooks'

import type { LaidOutTransition, Phase } from '../../wire.js'
import type { ChartIndex } from '../model/chart-index.js'
import type { ChartView } from '../model/chart-view.js'
import { ScrollRegion } from '../view/scroll-region.js'
import { ArrowHeads } from './arrow-heads.js'
import { ChartState } from './chart-state.js'
import { TransitionLabel, TransitionLine } from './chart-transition.js'
import { Gate } from './gate.js'

interface Props {
  readonly chart: ChartIndex
  readonly view: ChartView
  readonly phase: Phase | undefined
  /** Which step is shown: what is animated begins anew with it. */
  readonly step: number
  readonly onState: (path: string) => void
  readonly onPoint: (path: string | null) => void
}

/** The statechart as the server has laid it out. */
export function Chart({ chart, view, phase, step, onState, onPoint }: Props) {
  const { layout, gate } = chart
  const reasons = new Map(view.refusals.map(({ transition, reason }) => [transition, reason]))
  const stateOf = (transition: LaidOutTransition): 'taken' | 'refused' | 'idle' =>
    transition === view.taken ? 'taken' : reasons.has(transition) ? 'refused' : 'idle'
  // What matters most is drawn last, on top of lines that share their way.
  const lines = [...layout.transitions].sort((a, b) => RANK[stateOf(a)] - RANK[stateOf(b)])
  const frame = useRef<HTMLElement>(null)
  // Where the chart is wider than its frame, what is lit comes into sight.
  useLayoutEffect(() => {
    const lit = layout.states.find(({ id, type }) => view.current.has(id) && type !== 'compound')
    const element = frame.current
    if (lit && element) {
      element.scrollLeft = ((lit.x + lit.width / 2) / layout.width) * element.scrollWidth - element.clientWidth / 2
    }
  }, [layout, view])
  return (
    <ScrollRegion class="chart-frame" element={frame} name="Statechart">
      {/* biome-ignore lint/a11y/noSvgWithoutTitle: the region around it has the name; a title would be a tooltip everywhere */}
      <svg class="chart" viewBox={`0 0 ${layout.width} ${layout.height}`}>
        <ArrowHeads />
        {layout.states
          .filter(({ type }) => type === 'compound')
          .map(state => (
            <ChartState key={state.id} state={state} view={view} phase={phase} onState={onState} onPoint={onPoint} />
          ))}
        {lines.map(transition => (
          <TransitionLine
            key={stateOf(transition) === 'taken' ? `${transition.id} ${step}` : transition.id}
            transition={transition}
            state={stateOf(transition)}
          />
        ))}
        {layout.states
          .filter(({ type }) => type !== 'compound')
          .map(state => (
            <ChartState key={state.id} state={state} view={view} phase={phase} onState={onState} onPoint={onPoint} />
          ))}
        {layout.transitions.map(transition =>
          transition === gate ? (
            <Gate key={transition.id} transition={transition} view={view.gate} isRefused={reasons.has(transition)} />
          ) : (
            <TransitionLabel
              key={transition.id}
              transition={transition}
              state={stateOf(transition)}
              reason={reasons.get(transition)}
            />
          ),
        )}
      </svg>
    </ScrollRegion>
  )
}

const RANK = { refused: 0, idle: 1, taken: 2 } as const
