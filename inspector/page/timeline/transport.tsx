import type { Cursor } from '../view/use-cursor.js'

const SHAPES = {
  First: 'M3 2h2v10H3zM12 2v10L5.5 7z',
  Back: 'M10 2v10L3.5 7z',
  Play: 'M3 1.5v11L12 7z',
  Stop: 'M3 2h3v10H3zM8 2h3v10H8z',
  On: 'M4 2v10l6.5-5z',
} as const

/** The buttons that move through time. */
export function Transport({ cursor }: { readonly cursor: Cursor }) {
  const { entry, isLive, isPlaying, count } = cursor
  const n = entry?.n ?? 0
  const button = (name: keyof typeof SHAPES, key: string, isDisabled: boolean, onClick: () => void) => (
    <button
      type="button"
      class="icon"
      aria-label={name}
      title={`${name} (${key})`}
      disabled={isDisabled}
      onClick={onClick}
    >
      <svg viewBox="0 0 14 14" aria-hidden="true">
        <path d={SHAPES[name]} />
      </svg>
    </button>
  )
  return (
    <fieldset class="transport" aria-label="Move through the run">
      {button('First', 'Home', n === 0, () => cursor.goTo(0))}
      {button('Back', '←', n === 0, () => cursor.goBy(-1))}
      {button(isPlaying ? 'Stop' : 'Play', 'Space', count < 2, cursor.togglePlay)}
      {button('On', '→', n >= count - 1, () => cursor.goBy(1))}
      <button type="button" onClick={cursor.goToBoundary} title="To the boundary (B)">
        Boundary <kbd>B</kbd>
      </button>
      <button
        type="button"
        class={isLive ? 'is-live' : ''}
        aria-pressed={isLive}
        onClick={cursor.goLive}
        title="Live (L)"
      >
        Live <kbd>L</kbd>
      </button>
    </fieldset>
  )
}
