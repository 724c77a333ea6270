import type { Entry } from './entry.js'

/** The entries that every word of a query is found in; all of them for an empty query. */
export function filterEntries(entries: readonly Entry[], query: string): readonly Entry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return entries
  return entries.filter(entry => {
    const text = toSearchText(entry)
    return words.every(word => text.includes(word))
  })
}

function toSearchText({ kind, title, cause, machine }: Entry): string {
  const refused = kind === 'session' ? [] : (machine?.refused ?? []).map(({ guard }) => `refused ${guard}`)
  return [kind, title, cause, kind === 'event' ? machine?.event : '', ...refused].join(' ').toLowerCase()
}
