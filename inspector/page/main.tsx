import { render } from 'preact'

import { App } from './app.js'
import { connectLive } from './connection/live-run.js'
import { RunStore } from './connection/run-store.js'
import { readSavedRun } from './connection/saved-run.js'

const store = new RunStore()
const saved = readSavedRun()
if (saved === null) connectLive(store)
else {
  store.connect('saved')
  for (const event of saved.events) store.append(event)
}
const page = document.getElementById('page')
if (page) render(<App store={store} />, page)
