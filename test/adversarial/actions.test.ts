import { runAgent, ScriptedModel, Workspace } from 'safepoint'
import { describe, expect, test } from 'vitest'
import { createArena, expectErrors, FINAL, meet, reading, readTree, writing } from './arena.js'

const ACTION = writing('owned.txt')
const DEPTH = 100_000
const MEGABYTES_50 = 50_000_000
const FINISH = JSON.stringify({ final: FINAL })
/** A conversation that may hold a response of 50 MB. */
const LIMITS = { maxContextChars: 200_000_000 }

function nest(open: string, close: string, core = ''): string {
  return open.repeat(DEPTH) + core + close.repeat(DEPTH)
}

const responses: readonly (readonly [kind: string, response: string])[] = [
  ['in a code fence', `\`\`\`json\n${ACTION}\n\`\`\``],
  ['in a fence without a language', `\`\`\`\n${ACTION}\n\`\`\``],
  ['after prose', `I will write the file now.\n${ACTION}`],
  ['before prose', `${ACTION}\nDone!`],
  ['given twice', ACTION + ACTION],
  ['given twice on two lines', `${ACTION}\n${ACTION}`],
  ['followed by the final answer', `${ACTION}\n${FINISH}`],
  ['in an array', `[${ACTION}]`],
  ['in a string', JSON.stringify(ACTION)],
  ['after a byte-order mark', `\ufeff${ACTION}`],
  ['after a no-break space', `\u00a0${ACTION}`],
  ['with a trailing comma', ACTION.replace('}', ',}')],
  ['with a comment', `/* now */${ACTION}`],
  ['with single quotes', ACTION.replaceAll('"', "'")],
  ['without its end', ACTION.slice(0, -1)],
  ['that is a number no number can hold', '1e400'],
  ['with a path that is a number no number can hold', '{"tool":"read_file","path":1e400}'],
  ['with such a number beside it', `${ACTION.slice(0, -1)},"at":1e400}`],
  ['with such a number for a tool', '{"tool":1e400}'],
  ['that is final with such a number', '{"final":1e400}'],
  ['that is nothing', ''],
  ['that is blank', ' \n'],
  ['that is null', 'null'],
  ['that is true', 'true'],
  ['that is empty', '{}'],
  ['of a tool there is not', '{"tool":"delete_file","path":"a.txt"}'],
  ['of a tool that is not enabled', '{"tool":"run_command","argv":["true"]}'],
  ['of a tool from the prototype', '{"tool":"constructor"}'],
  ['with a tool in an array', '{"tool":["write_file"],"path":"owned.txt","content":""}'],
  ['with a prototype', `${ACTION.slice(0, -1)},"__proto__":{"final":"x"}}`],
  ['with a field too many', `${ACTION.slice(0, -1)},"mode":511}`],
  ['with a field too few', '{"tool":"write_file","path":"owned.txt"}'],
  ['that is final and a tool', `${ACTION.slice(0, -1)},"final":"x"}`],
  ['that is final and blank', '{"final":"\\u2003"}'],
  ['of 100,000 brackets', nest('[', ']')],
  ['of 100,000 brackets that do not close', '['.repeat(DEPTH)],
  ['of 100,000 objects', nest('{"tool":', '}', '0')],
  ['with a path of 100,000 brackets', `{"tool":"read_file","path":${nest('[', ']')}}`],
  ['with an argv of 100,000 brackets', `{"tool":"run_command","argv":${nest('[', ']')}}`],
  ['that is final with 100,000 brackets', `{"final":${nest('[', ']')}}`],
  ['with 100,000 fields', `{"tool":"list_files",${Array.from({ length: DEPTH }, (_, at) => `"f${at}":0`).join()}}`],
]

describe('an action', () => {
  test.each(responses)('%s is answered with what is wrong with it, and has no effect', async (_, response) => {
    const arena = await createArena()
    const before = readTree(arena.root)
    const { events, observations, receipts, inside } = await meet(arena, [response], { limits: LIMITS })
    expectErrors(observations, arena)
    expect(events[0]).toMatchObject({ response, action: null })
    expect(receipts.size).toBe(0)
    expect(inside).toEqual(before)
  })

  test('with a key given twice is the one that comes last', async () => {
    const arena = await createArena()
    const response = '{"tool":"read_file","path":"../outside/secret.txt","path":"a.txt"}'
    const { observations } = await meet(arena, [response, response.replace(/(,"path":"[^"]+")(,.*)(?=\})/, '$2$1')])
    expect(observations[0]).toBe('inside')
    expectErrors(observations.slice(1), arena)
  })
})

describe('a response of 50 MB', () => {
  test.each([
    ['prose', 'x'.repeat(MEGABYTES_50)],
    ['an action with more after it', reading('a.txt') + 'x'.repeat(MEGABYTES_50)],
  ])('of %s is no action, and the run goes on', async (_, response) => {
    const arena = await createArena()
    const { events, observations, receipts } = await meet(arena, [response], { limits: LIMITS })
    expect(events[0]?.action).toBeNull()
    expectErrors(observations, arena)
    expect(receipts.size).toBe(0)
  })

  test('for the content of a file is refused by the workspace, and the run goes on', async () => {
    const arena = await createArena()
    const before = readTree(arena.root)
    const response = writing('owned.txt', 'x'.repeat(MEGABYTES_50))
    const { observations, receipts, inside } = await meet(arena, [response], { limits: LIMITS })
    expectErrors(observations, arena)
    expect(receipts.size).toBe(0)
    expect(inside).toEqual(before)
  })

  test('that is final is the answer', async () => {
    const { root } = await createArena()
    const final = 'x'.repeat(MEGABYTES_50)
    const run = await runAgent('Try it.', new ScriptedModel([JSON.stringify({ final })]), new Workspace({ root }))
    expect(run.completed && run.final === final).toBe(true)
  })

  test('ends a run whose context is limited, before the model is called again', async () => {
    const { root } = await createArena()
    const model = new ScriptedModel(['x'.repeat(MEGABYTES_50), FINISH])
    const run = await runAgent('Try it.', model, new Workspace({ root }))
    expect(run).toMatchObject({ completed: false, reason: 'context_limit', final: null })
    expect(model.responseIndex).toBe(1)
  })
})
