import type { WireModelSnapshot } from '../../wire.js'
import { toBars } from '../model/bars.js'
import { countOf } from '../model/format.js'

interface Props {
  readonly saved: WireModelSnapshot
  readonly restored: WireModelSnapshot | null
}

const HALF = 34
const LAYER = 7

/** The cached ids as bars along the conversation, saved ones upwards, restored ones downwards: a mirror when they agree.
 * Below them each layer, as far as it goes. */
export function PrefixBars({ saved, restored }: Props) {
  const up = toBars(saved.cachedTokenIds)
  const down = restored ? toBars(restored.cachedTokenIds) : []
  const step = 256 / Math.max(up.length, down.length, 1)
  const layers = saved.layerOffsets.slice(0, 8)
  const layersTop = HALF * 2 + 8
  const width = Math.max(1, step - (step > 6 ? 2 : 0.5))
  const label = [
    `${countOf(saved.cachedTokenCount, 'cached id')} saved`,
    restored ? `${restored.cachedTokenCount} restored` : 'not restored yet',
    `${countOf(saved.layerOffsets.length, 'layer')} at ${saved.layerOffsets.slice(0, 8).join(', ')}`,
  ].join('; ')
  return (
    <svg class="bars" viewBox={`0 0 256 ${layersTop + layers.length * (LAYER + 3)}`} role="img" aria-label={label}>
      {up.map((height, index) => (
        <rect
          key={index}
          class="saved"
          x={index * step}
          y={HALF - bar(height)}
          width={width}
          height={bar(height)}
          rx={1.5}
        />
      ))}
      <path class="axis" d={`M0 ${HALF + 1.5}H256`} />
      {(restored ? down : up).map((height, index) => (
        <rect
          key={index}
          class={restored ? 'restored' : 'awaited'}
          x={index * step}
          y={HALF + 3}
          width={width}
          height={bar(height)}
          rx={1.5}
        />
      ))}
      {layers.map((offset, index) => {
        const y = layersTop + index * (LAYER + 3)
        const share = (of: number): number =>
          (256 * Math.min(of, saved.cachedTokenCount)) / Math.max(1, saved.cachedTokenCount)
        return (
          <g key={index}>
            <rect class="track" y={y} width={256} height={LAYER} rx={3} />
            <rect class="saved" y={y} width={share(offset)} height={LAYER} rx={3} />
            {restored && (
              <rect
                class="restored"
                y={y + LAYER / 2}
                width={share(restored.layerOffsets[index] ?? 0)}
                height={LAYER / 2}
                rx={1.5}
              />
            )}
          </g>
        )
      })}
    </svg>
  )
}

function bar(height: number): number {
  return 3 + height * (HALF - 4)
}
