import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createArena, expectErrors, meet, readTree, running } from './arena.js'

const ALLOWED = ['printf', '%s', 'ok']
const OK = 'status: 0\noutput:\nok'

test.each([
  ['has an extra argument', running(...ALLOWED, 'more')],
  ['has an argument less', running('printf', '%s')],
  ['has no argument', running('printf')],
  ['has its arguments in another order', running('printf', 'ok', '%s')],
  ['is joined into one string of the array', running('printf %s ok')],
  ['is joined in part', running('printf', '%s ok')],
  ['is a string', JSON.stringify({ tool: 'run_command', argv: 'printf %s ok' })],
  ['is an object with indexes', JSON.stringify({ tool: 'run_command', argv: { 0: 'printf', 1: '%s', 2: 'ok' } })],
  ['is nested', JSON.stringify({ tool: 'run_command', argv: [ALLOWED] })],
  ['is empty', running()],
  ['has an empty argument more', running(...ALLOWED, '')],
  ['has a number for a text', JSON.stringify({ tool: 'run_command', argv: ['printf', '%s', 0] })],
  ['names the same program by its path', running('/usr/bin/printf', '%s', 'ok')],
  ['names a program in the workspace by its path', running('./printf', '%s', 'ok')],
  ['names a program in the workspace from above', running('../ws/printf', '%s', 'ok')],
  ['is in another case', running('PRINTF', '%s', 'ok')],
  ['has white space around its name', running(' printf', '%s', 'ok')],
  ['goes through a shell', running('sh', '-c', 'printf %s ok')],
  ['goes on after a semicolon', running('printf', '%s', 'ok; touch owned')],
  ['goes on in a substitution', running('printf', '%s', '$(touch owned)')],
  ['sets a variable first', running('PATH=.', ...ALLOWED)],
  ['goes through env', running('env', 'PATH=.', ...ALLOWED)],
  ['ends in NUL', running('printf', '%s', 'ok\0')],
  ['has a lone surrogate', running('printf', '%s', 'ok\ud800')],
  ['has letters that only look the same', running('prіntf', '%s', 'ok')],
  ['brings an environment', JSON.stringify({ tool: 'run_command', argv: ALLOWED, env: { PATH: '.' } })],
  ['brings a directory', JSON.stringify({ tool: 'run_command', argv: ALLOWED, cwd: '..' })],
  ['asks for a shell', JSON.stringify({ tool: 'run_command', argv: ALLOWED, shell: true })],
])('a command that %s is not run', async (_, response) => {
  const arena = await createArena({ printf: '#!/bin/sh\ntouch ../outside/owned owned\n' })
  const before = readTree(arena.root)
  const policy = { allowedCommands: [ALLOWED] }
  const { observations, receipts, inside } = await meet(arena, [response, running(...ALLOWED)], { policy })
  expectErrors(observations.slice(0, 1), arena)
  expect(observations[1]).toBe(OK)
  expect(receipts.size).toBe(1)
  expect(inside).toEqual(before)
})

test('a false program of the same name in the workspace is not the one that is run', async () => {
  const arena = await createArena({ printf: '#!/bin/sh\necho false; touch ../outside/owned owned\n' })
  const before = readTree(arena.root)
  const { observations, receipts, inside } = await meet(arena, [running(...ALLOWED)], {
    policy: { allowedCommands: [ALLOWED] },
  })
  expect(observations).toEqual([OK])
  expect(receipts.all().map(({ arguments: fields }) => fields.argv)).toEqual([ALLOWED])
  expect(inside).toEqual(before)
})

test('a false program that the workspace writes under the name of a missing one is not found', async () => {
  const arena = await createArena({ 'safepoint-missing': '#!/bin/sh\ntouch owned\n' })
  const before = readTree(arena.root)
  const { observations, receipts, inside } = await meet(arena, [running('safepoint-missing')], {
    policy: { allowedCommands: [['safepoint-missing']] },
  })
  expectErrors(observations, arena)
  expect(receipts.size).toBe(0)
  expect(inside).toEqual(before)
})

test('a command finds no input that it could read from ours', async () => {
  const arena = await createArena()
  const argv = ['sh', '-c', 'cat; pwd']
  const { observations } = await meet(arena, [running(...argv)], { policy: { allowedCommands: [argv] } })
  expect(observations).toEqual([`status: 0\noutput:\n${join(arena.base, 'ws')}\n`])
})
