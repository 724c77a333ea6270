// A page in a process of its own: it reads every event, and lets the run go on. Ends when the server does.
// Usage: node bench/inspector-page.mjs URL
import { WebSocket } from 'ws'

const { host, search } = new URL(process.argv[2])
const [events, control] = ['/events', '/control'].map(path => {
  const socket = new WebSocket(`ws://${host}${path}${search}`, { origin: `http://${host}` })
  socket.on('error', () => process.exit())
  socket.on('close', () => process.exit())
  return socket
})
events.on('message', data => JSON.parse(String(data)))
const opened = [events, control].map(socket => new Promise(resolve => socket.once('open', resolve)))
await Promise.all(opened)
control.send('{"type":"continue"}')
