/** A time span as a person reads it: `0.4 ms`, `12 ms`, `1.24 s`, `3m 05s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 0.05) return '0 ms'
  if (milliseconds < 10) return `${milliseconds.toFixed(1)} ms`
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 59_995) return `${(milliseconds / 1000).toFixed(2)} s`
  const seconds = Math.round(milliseconds / 1000)
  return `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, '0')}s`
}

const COUNT = new Intl.NumberFormat('en-US')

/** `12,345`. */
export function formatCount(count: number): string {
  return COUNT.format(count)
}

/** `1 pair`, `2 pairs`. */
export function countOf(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`
}

/** The ends of an id: `4f1c…9ae2`. */
export function shortId(id: string): string {
  return id.length <= 12 ? id : `${id.slice(0, 4)}…${id.slice(-4)}`
}

/** An event's name without XState's prefix: `callModel done`, `init`. */
export function formatEvent(type: string): string {
  const match = /^xstate\.(done|error)\.actor\.(.+)$/.exec(type)
  if (match) return `${match[2]} ${match[1] === 'done' ? 'done' : 'failed'}`
  return type.replace(/^xstate\./, '')
}
