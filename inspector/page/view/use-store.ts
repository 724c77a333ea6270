import { useEffect, useState } from 'preact/hooks'

import type { RunStore } from '../connection/run-store.js'

/** Draws again whenever there is more of the run. */
export function useStore(store: RunStore): void {
  const [, setDrawn] = useState(0)
  useEffect(() => store.subscribe(() => setDrawn(drawn => drawn + 1)), [store])
}
