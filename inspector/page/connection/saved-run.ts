import type { SavedRun } from '../../wire.js'

/** The run that was saved into this very document; `null` when it is to be asked for. */
export function readSavedRun(): SavedRun | null {
  const text = document.getElementById('saved-run')?.textContent?.trim()
  return text ? (JSON.parse(text) as SavedRun) : null
}
