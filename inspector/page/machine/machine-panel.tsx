import { useMemo, useState } from 'preact/hooks'

import type { ChartIndex } from '../model/chart-index.js'
import { chartAt } from '../model/chart-view.js'
import { ScrollRegion } from '../view/scroll-region.js'
import type { Cursor } from '../view/use-cursor.js'
import { Chart } from './chart.js'
import { Refusals, Taken } from './step-caption.js'

interface Props {
  readonly chart: ChartIndex | null
  readonly cursor: Cursor
}

/** The statechart at the instant that is shown, and in words what just happened. */
export function MachinePanel({ chart, cursor }: Props) {
  const machine = cursor.entry?.machine ?? null
  const next = machine?.next ?? null
  const view = useMemo(() => chart && chartAt(chart, machine), [chart, machine, next])
  const [pointed, setPointed] = useState<string | null>(null)
  const path = pointed ?? machine?.leaf
  const state = path === undefined ? undefined : chart?.states.get(path)
  return (
    <section id="machine" class="panel machine" aria-labelledby="machine-title">
      <div class="machine-head">
        <h2 id="machine-title">The machine</h2>
        {view && <Taken view={view} machine={machine} />}
      </div>
      {chart && view ? (
        <>
          <Chart
            chart={chart}
            view={view}
            phase={cursor.entry?.session?.phase}
            step={cursor.entry?.n ?? 0}
            onState={cursor.goToState}
            onPoint={setPointed}
          />
          <ScrollRegion class="caption" name="What just happened">
            {state && (
              <p class="meaning">
                <b>{state.key}</b> {state.description}
                {state.invokes.length > 0 && ` Waits for ${state.invokes.join(', ')}.`}
              </p>
            )}
            <Refusals view={view} />
          </ScrollRegion>
        </>
      ) : (
        <p class="nothing">The chart comes with the first step of the machine.</p>
      )}
    </section>
  )
}
