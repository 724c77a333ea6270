import { readFile } from 'node:fs/promises'

import { AgentError } from 'safepoint'

/** The built page: three files with fixed names. */
export interface PageFiles {
  readonly html: string
  readonly script: string
  readonly style: string
}

// Beside the built server; when the sources are run, where the build has put them.
const PLACES = ['../../page/', '../../../dist/inspector/page/'].map(path => new URL(path, import.meta.url))

/**
 * Reads the page as it was built.
 *
 * @throws AgentError (`inspector_failed`) when it was not.
 */
export async function readPageFiles(): Promise<PageFiles> {
  let cause: unknown
  for (const place of PLACES) {
    try {
      const read = (name: string): Promise<string> => readFile(new URL(name, place), 'utf8')
      // The sources of the page have an index.html, too: only the build has all three.
      const [script, style, html] = await Promise.all([read('page.js'), read('page.css'), read('index.html')])
      return { html, script, style }
    } catch (thrown) {
      cause = thrown
    }
  }
  throw new AgentError('inspector_failed', 'The inspector has no built page; run "npm run build" first.', { cause })
}
