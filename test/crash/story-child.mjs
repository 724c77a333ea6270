// Lives one life of the story in a process of its own and kills itself, without warning, at the place that it is given:
// `node story-child.mjs BASE PLACE`. It ends with status 3 when the story never comes to that place, and prints every
// place when it is given none.
import { join } from 'node:path'
import * as library from '../../dist/src/index.js'
import { live } from './story.mjs'

const [base = '', target] = process.argv.slice(2)
const stage = { root: join(base, 'root'), outside: join(base, 'outside') }

await live(library, stage, {
  at(place) {
    if (target === undefined) console.log(JSON.stringify(place))
    else if (place.name === target) process.kill(process.pid, 'SIGKILL')
  },
})
process.exitCode = target === undefined ? 0 : 3
