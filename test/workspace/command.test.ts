import { existsSync } from 'node:fs'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { constants } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { isAlive } from '../helpers/processes.js'
import { runAction, setUp } from './setup.js'

const node = process.execPath

/** Runs one allowed command without a gate. */
async function run(argv: readonly string[], commandTimeoutSeconds = 20): Promise<string> {
  const { workspace } = await setUp({ policy: { allowedCommands: [argv], commandTimeoutSeconds } })
  return workspace.runCommand(argv)
}

function script(text: string): readonly string[] {
  return [node, '-e', text]
}

async function expectDead(file: string): Promise<void> {
  const pid = Number(await vi.waitFor(() => readFile(file, 'utf8')))
  expect(pid).toBeGreaterThan(1)
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), 5_000)
}

describe('the status of a command', () => {
  it.each([
    ['its exit code', ['sh', '-c', 'exit 3'], '3'],
    ['0', ['true'], '0'],
    ['255', ['sh', '-c', 'exit 255'], '255'],
    ['the negated number of the signal that ended it', ['sh', '-c', 'kill -TERM $$'], `-${constants.signals.SIGTERM}`],
    ['that of the leader, whatever its children do', ['sh', '-c', 'sh -c "exit 5"; exit 0'], '0'],
  ])('is %s', async (_, argv, status) => {
    expect(await run(argv)).toBe(`status: ${status}\noutput:\n`)
  })

  it('decides about the state of the receipt', async () => {
    const allowedCommands = [['true'], ['false'], ['sh', '-c', 'kill -KILL $$']]
    const { workspace, receipts } = await setUp({ policy: { allowedCommands } })
    for (const argv of allowedCommands) await workspace.execute(runAction(...argv))
    expect(receipts.all().map(receipt => [receipt.exitState, receipt.result.split('\n')[0]])).toEqual([
      ['ok', 'status: 0'],
      ['error', 'status: 1'],
      ['error', 'status: -9'],
    ])
    expect(receipts.all().map(receipt => receipt.changedArtifacts)).toEqual([[], [], []])
  })
})

describe('a command', () => {
  it.each([
    ['another argument', ['printf', 'b']],
    ['one argument more', ['printf', 'a', 'b']],
    ['one argument less', ['printf']],
    ['another case', ['PRINTF', 'a']],
    ['white space', ['printf ', 'a']],
    ['its words in one', ['printf a']],
    ['NUL', ['printf', 'a\0']],
  ])('that differs from an allowed one by %s is refused', async (_, argv) => {
    const { workspace, asked } = await setUp({ policy: { allowedCommands: [['printf', 'a']] } })
    await expect(workspace.runCommand(argv)).rejects.toMatchObject({ name: 'AgentError' })
    expect(await workspace.execute(runAction(...argv))).toMatch(/^error: /)
    expect(asked).toEqual([])
  })

  it('is given to no shell', async () => {
    expect(await run(['printf', '%s', '$HOME;*`id`&&x|y'])).toBe('status: 0\noutput:\n$HOME;*`id`&&x|y')
  })

  it('stands in the root, with an empty standard input', async () => {
    const argv = ['sh', '-c', 'cat; ls']
    const { workspace } = await setUp({ files: { 'only.txt': '' }, policy: { allowedCommands: [argv] } })
    expect(await workspace.runCommand(argv)).toBe('status: 0\noutput:\nonly.txt\n')
  })

  it('is a program of the workspace when its path says so', async () => {
    const { workspace, root } = await setUp({
      files: { 'tool.sh': '#!/bin/sh\necho "$1"\n' },
      policy: { allowedCommands: [['./tool.sh', 'hello']] },
    })
    await chmod(join(root, 'tool.sh'), 0o755)
    expect(await workspace.runCommand(['./tool.sh', 'hello'])).toBe('status: 0\noutput:\nhello\n')
  })

  it.each([
    ['that does not exist', ['safepoint-no-such-program']],
    ['whose path leads nowhere', ['./missing/tool']],
    ['that is a directory', ['./']],
    ['that is no program', ['./data.txt']],
  ])('%s is an error without a receipt, and uses its number up', async (_, argv) => {
    const { workspace, receipts } = await setUp({
      files: { 'data.txt': 'data' },
      policy: { allowedCommands: [argv, ['true']] },
    })
    await expect(workspace.runCommand(argv)).rejects.toMatchObject({
      code: 'command_failed',
      cause: expect.objectContaining({ syscall: expect.stringContaining('spawn') as unknown }) as unknown,
    })
    expect(await workspace.execute(runAction(...argv))).toMatch(/^error: the command .* could not be started \(E\w+\)/)
    expect(receipts.size).toBe(0)
    await workspace.execute(runAction('true'))
    expect(receipts.all().map(receipt => receipt.toolCallId)).toEqual(['call-2'])
  })

  it('too long for the system is an error as well', async () => {
    const argv = ['true', 'x'.repeat(3_000_000)]
    await expect(run(argv)).rejects.toMatchObject({ code: 'command_failed' })
  })

  it('leaves no timer, no stream, no listener and no process behind', async () => {
    const { workspace } = await setUp({ policy: { allowedCommands: [['printf', 'a'], ['./missing']] } })
    const controller = new AbortController()
    const added = vi.spyOn(controller.signal, 'addEventListener')
    const removed = vi.spyOn(controller.signal, 'removeEventListener')
    const handles = countResources(/Process|Pipe/)
    const timers = countResources(/Timeout/)
    expect(await workspace.execute(runAction('printf', 'a'), controller.signal)).toBe('status: 0\noutput:\na')
    expect(await workspace.execute(runAction('./missing'), controller.signal)).toMatch(/^error: /)
    expect(countResources(/Timeout/)).toBeLessThanOrEqual(timers) // the runner may end one of its own
    await vi.waitFor(() => expect(countResources(/Process|Pipe/)).toBe(handles))
    expect(added.mock.calls.length).toBeGreaterThan(2)
    expect(removed.mock.calls.map(call => call[1])).toEqual(
      expect.arrayContaining(added.mock.calls.map(call => call[1])),
    )
  })
})

function countResources(name: RegExp): number {
  return process.getActiveResourcesInfo().filter(resource => name.test(resource)).length
}

describe('the output of a command', () => {
  it('is standard output, then standard error, with line ends as they are', async () => {
    expect(await run(['sh', '-c', 'echo err >&2; printf "out\\r\\n"'])).toBe('status: 0\noutput:\nout\r\nerr\n')
  })

  it('is decoded with replacement, each stream for itself, and keeps a byte-order mark', async () => {
    const argv = ['sh', '-c', "printf '\\357\\273\\277a\\377b\\303'; printf '\\251\\360\\237' >&2"]
    expect(await run(argv)).toBe('status: 0\noutput:\n\ufeffa\ufffdb\ufffd\ufffd\ufffd')
  })

  it('is cut to 16,000 characters, and never through one', async () => {
    const observation = await run(script(`process.stdout.write('a' + '😀'.repeat(20_000))`))
    expect(observation).toBe(`status: 0\noutput:\na${'😀'.repeat(15_999)}`)
  })

  it('is cut over both streams together', async () => {
    const observation = await run(
      script(`process.stdout.write('o'.repeat(15_990)); process.stderr.write('é'.repeat(99))`),
    )
    expect(observation).toBe(`status: 0\noutput:\n${'o'.repeat(15_990)}${'é'.repeat(10)}`)
  })

  it('of 16,000 broken bytes is 16,000 replacement characters', async () => {
    const observation = await run(script(`process.stdout.write(Buffer.alloc(70_000, 0xff))`))
    expect(observation).toBe(`status: 0\noutput:\n${'\ufffd'.repeat(16_000)}`)
  })

  it('is all there when the command ends right after it, time after time', async () => {
    const text = 'x'.repeat(15_000)
    const argv = ['sh', '-c', `printf ${text}; printf end >&2`]
    const { workspace } = await setUp({ policy: { allowedCommands: [argv] } })
    for (let round = 0; round < 40; round += 1) {
      expect(await workspace.runCommand(argv)).toBe(`status: 0\noutput:\n${text}end`)
    }
  })

  it('is all there when many commands end at the same time', async () => {
    const text = 'x'.repeat(3_000)
    const argv = ['sh', '-c', `printf ${text}; printf end >&2`]
    const settings = await Promise.all(Array.from({ length: 60 }, () => setUp({ policy: { allowedCommands: [argv] } })))
    const observations = await Promise.all(settings.map(({ workspace }) => workspace.runCommand(argv)))
    expect(new Set(observations)).toEqual(new Set([`status: 0\noutput:\n${text}end`]))
  })

  it('is read to its end without being kept: 200 MB without a newline', async () => {
    const before = process.memoryUsage().rss
    const argv = ['sh', '-c', 'head -c 200000000 /dev/zero | tr "\\0" "z"; echo done >&2; exit 7']
    const observation = await run(argv)
    expect(observation).toBe(`status: 7\noutput:\n${'z'.repeat(16_000)}`)
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000)
  })
})

describe('a command that takes too long', () => {
  it('is ended with all that it started, though they hold the pipe, and keeps what it printed', async () => {
    const argv = ['sh', '-c', 'echo started; sleep 300 & echo $! > child.pid; echo $$ > leader.pid; wait']
    const { workspace, root, receipts } = await setUp({
      policy: { allowedCommands: [argv], commandTimeoutSeconds: 0.5 },
    })
    const began = performance.now()
    expect(await workspace.execute(runAction(...argv))).toBe('status: timeout\noutput:\nstarted\n')
    expect(performance.now() - began).toBeLessThan(5_000)
    await expectDead(join(root, 'child.pid'))
    await expectDead(join(root, 'leader.pid'))
    expect(receipts.get('call-1')).toMatchObject({ exitState: 'error', result: 'status: timeout\noutput:\nstarted\n' })
  })

  it('is ended though it ignores every signal that can be ignored', async () => {
    const argv = ['sh', '-c', "trap '' TERM INT HUP; echo $$ > leader.pid; while :; do sleep 1; done"]
    const { workspace, root } = await setUp({ policy: { allowedCommands: [argv], commandTimeoutSeconds: 0.3 } })
    expect(await workspace.runCommand(argv)).toBe('status: timeout\noutput:\n')
    await expectDead(join(root, 'leader.pid'))
  })

  it('may take longer than a timer can count', async () => {
    expect(await run(['printf', 'a'], 1e12)).toBe('status: 0\noutput:\na')
  })
})

describe('what a command leaves running', () => {
  it('is ended with the leader, and the answer does not wait for it', async () => {
    const argv = ['sh', '-c', 'sleep 300 & echo $! > child.pid; echo done; exit 4']
    const { workspace, root } = await setUp({ policy: { allowedCommands: [argv] } })
    const began = performance.now()
    expect(await workspace.runCommand(argv)).toBe('status: 4\noutput:\ndone\n')
    expect(performance.now() - began).toBeLessThan(5_000)
    await expectDead(join(root, 'child.pid'))
  })

  it('in a session of its own is out of reach, but holds nothing up though it holds the pipe and prints', async () => {
    const escaped = `process.stdout.on('error', () => {}); setInterval(() => process.stdout.write('.'), 1)`
    const argv = script(`
      const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(escaped)}], {
        detached: true, stdio: ['ignore', 'inherit', 'inherit'],
      })
      require('node:fs').writeFileSync('child.pid', String(child.pid))
      process.stdout.write('done', () => process.exit(0))`)
    const { workspace, root } = await setUp({ policy: { allowedCommands: [argv] } })
    onTestFinished(async () => {
      process.kill(Number(await readFile(join(root, 'child.pid'), 'utf8')), 'SIGKILL')
    })
    const handles = countResources(/Process|Pipe/)
    const began = performance.now()
    expect(await workspace.runCommand(argv)).toMatch(/^status: 0\noutput:\ndone\.*$/)
    expect(performance.now() - began).toBeLessThan(5_000)
    await vi.waitFor(() => expect(countResources(/Process|Pipe/)).toBe(handles))
    expect(isAlive(Number(await readFile(join(root, 'child.pid'), 'utf8')))).toBe(true)
  })
})

describe('an aborted command', () => {
  it('is ended with all that it started, and leaves no receipt', async () => {
    const argv = ['sh', '-c', 'sleep 300 & echo $! > child.pid; echo $$ > leader.pid; wait']
    const { workspace, root, receipts } = await setUp({ policy: { allowedCommands: [argv] } })
    const controller = new AbortController()
    const running = workspace.execute(runAction(...argv), controller.signal)
    await vi.waitFor(() => expect(existsSync(join(root, 'leader.pid'))).toBe(true), 5_000)
    const reason = new Error('enough')
    controller.abort(reason)
    await expect(running).rejects.toBe(reason)
    await expectDead(join(root, 'child.pid'))
    await expectDead(join(root, 'leader.pid'))
    expect(receipts.size).toBe(0)
  })

  it('makes way for the next call', async () => {
    const argv = ['sleep', '300']
    const { workspace, root } = await setUp({ policy: { allowedCommands: [argv] } })
    await writeFile(join(root, 'a.txt'), 'a')
    const controller = new AbortController()
    const running = workspace.execute(runAction(...argv), controller.signal)
    const next = workspace.readFile('a.txt')
    controller.abort()
    await expect(running).rejects.toMatchObject({ name: 'AbortError' })
    expect(await next).toBe('a')
  })
})
