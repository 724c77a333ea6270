import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ToolPolicyInput, Workspace } from 'safepoint'
import { describe, expect, it } from 'vitest'
import { createTempDir } from '../helpers/temp-dir.js'
import { catchThrown, createRevokedProxy, findUnfrozen } from '../helpers/values.js'

function codeOf(policy: unknown): unknown {
  return catchThrown(() => new Workspace(policy as ToolPolicyInput))
}

describe('a policy', () => {
  it('allows reading alone when only the root is given', async () => {
    const workspace = new Workspace({ root: await createTempDir() })
    expect([...workspace.availableTools]).toEqual(['list_files', 'read_file'])
    expect(workspace.allowedCommands).toEqual([])
    expect(workspace.modifiedFiles).toEqual([])
  })

  it('enables writing and commands independently of each other', async () => {
    const root = await createTempDir()
    const writing = new Workspace({ root, allowWrites: true })
    const running = new Workspace({ root, allowedCommands: [['true']] })
    expect([...writing.availableTools]).toEqual(['list_files', 'read_file', 'write_file', 'edit_file'])
    expect([...running.availableTools]).toEqual(['list_files', 'read_file', 'run_command'])
  })

  it.each([
    ['a limit of zero', { maxFileBytes: 0 }, /"maxFileBytes"/],
    ['a negative limit', { maxListEntries: -1 }, /"maxListEntries"/],
    ['a fraction for a limit', { maxWriteBytes: 1.5 }, /"maxWriteBytes"/],
    ['a limit that is no safe integer', { maxFileBytes: 2 ** 53 }, /"maxFileBytes"/],
    ['a limit that is a text', { maxFileBytes: '10' }, /"maxFileBytes"/],
    ['a timeout of zero', { commandTimeoutSeconds: 0 }, /"commandTimeoutSeconds"/],
    ['an infinite timeout', { commandTimeoutSeconds: Number.POSITIVE_INFINITY }, /"commandTimeoutSeconds"/],
    ['a timeout that is not a number', { commandTimeoutSeconds: Number.NaN }, /"commandTimeoutSeconds"/],
    ['something true for allowWrites', { allowWrites: 1 }, /"allowWrites"/],
    ['an empty command', { allowedCommands: [[]] }, /"allowedCommands"\[0\]/],
    ['an empty argument', { allowedCommands: [['ls', '']] }, /"allowedCommands"\[0\]\[1\]/],
    ['a NUL in an argument', { allowedCommands: [['ls', 'a\0']] }, /NUL/],
    ['a lone surrogate in an argument', { allowedCommands: [['ls', '\ud800']] }, /lone surrogate/],
    ['a command that is one text', { allowedCommands: ['ls -l'] }, /"allowedCommands"\[0\]/],
    ['a misspelt field', { allowWrite: true }, /unknown field "allowWrite"/],
  ])('with %s is refused, and the field is named', async (_, fields, message) => {
    const root = await createTempDir()
    expect(codeOf({ root, ...fields })).toMatchObject({
      code: 'invalid_policy',
      message: expect.stringMatching(message),
    })
  })

  it.each([
    ['nothing', undefined],
    ['a text', '/tmp'],
    ['no root', {}],
    ['an empty root', { root: '' }],
    ['a root with NUL', { root: '/tmp\0' }],
    ['a proxy that can be used no longer', createRevokedProxy()],
  ])('that is %s is refused', (_, policy) => {
    expect(codeOf(policy)).toMatchObject({ name: 'AgentError', code: 'invalid_policy' })
  })

  it('needs a root that is an existing directory and no link', async () => {
    const directory = await createTempDir()
    await mkdir(join(directory, 'real'))
    await writeFile(join(directory, 'file'), '')
    await symlink('real', join(directory, 'link'))
    for (const root of ['missing', 'file', 'link', 'link/', 'link/.', 'file/below']) {
      expect(codeOf({ root: `${directory}/${root}` }), root).toMatchObject({ code: 'invalid_policy' })
    }
    expect(() => new Workspace({ root: `${directory}/real/` })).not.toThrow()
  })

  it('is a copy: what its author changes later has no effect', async () => {
    const allowedCommands = [['true']]
    const policy = { root: await createTempDir(), allowWrites: false, allowedCommands }
    const workspace = new Workspace(policy)
    policy.allowWrites = true
    allowedCommands.push(['false'])
    allowedCommands[0]?.push('--help')
    expect(workspace.allowedCommands).toEqual([['true']])
    expect(workspace.availableTools.has('write_file')).toBe(false)
  })

  it('hands out frozen lists', async () => {
    const root = await createTempDir()
    const workspace = new Workspace({ root, allowedCommands: [['true']] })
    expect(findUnfrozen(workspace.allowedCommands)).toEqual([])
    expect(findUnfrozen(new Workspace({ root }).allowedCommands)).toEqual([])
    expect(findUnfrozen(workspace.modifiedFiles)).toEqual([])
  })

  it('is out of reach of whoever changes the set of tools', async () => {
    const workspace = new Workspace({ root: await createTempDir() })
    ;(workspace.availableTools as Set<string>).add('write_file')
    expect(workspace.availableTools.has('write_file')).toBe(false)
    await expect(workspace.writeFile('a', '')).rejects.toMatchObject({ code: 'tool_disabled' })
  })
})

describe('the options of a workspace', () => {
  it.each([
    ['a confirmTool that is no function', { confirmTool: true }],
    ['receipts that are no store', { receipts: new Map() }],
  ])('with %s are refused', async (_, options) => {
    const root = await createTempDir()
    expect(catchThrown(() => new Workspace({ root }, options as object))).toMatchObject({ code: 'invalid_option' })
  })
})
