import { lstatSync, realpathSync, type Stats } from 'node:fs'
import { resolve } from 'node:path'
import * as z from 'zod'

import { AgentError, describeThrown, describeValue } from '../errors.js'

/** What a workspace may touch, and how much of it. */
export interface ToolPolicy {
  /** The one directory that tools see. It must exist and must not be a symbolic link. */
  readonly root: string
  /** The largest file that `read_file` shows, in bytes. */
  readonly maxFileBytes: number
  /** The most lines that `list_files` answers. */
  readonly maxListEntries: number
  /** Whether `write_file` and `edit_file` are enabled. */
  readonly allowWrites: boolean
  /** The exact commands that `run_command` accepts; the tool is enabled when there is one. */
  readonly allowedCommands: readonly (readonly string[])[]
  /** The largest file that `write_file` and `edit_file` leave behind, in bytes. */
  readonly maxWriteBytes: number
  /** How long a command may take before it is ended. */
  readonly commandTimeoutSeconds: number
}

/** A policy as a caller writes it: everything but the root has a default, and the defaults allow reading alone. */
export type ToolPolicyInput = Pick<ToolPolicy, 'root'> & Partial<Omit<ToolPolicy, 'root'>>

const positiveInteger = z.int({ error: 'must be a positive integer' }).positive({ error: 'must be a positive integer' })

const plainText = z
  .string({ error: 'must be a string' })
  .min(1, { error: 'must not be empty' })
  .refine(text => !text.includes('\0'), { error: 'must not contain NUL' })
  .refine(text => text.isWellFormed(), { error: 'has a lone surrogate, which the system cannot be given' })

const policySchema = z.strictObject({
  root: plainText,
  maxFileBytes: positiveInteger.default(65_536),
  maxListEntries: positiveInteger.default(200),
  allowWrites: z.boolean({ error: 'must be true or false' }).default(false),
  allowedCommands: z
    .array(
      z.array(plainText, { error: 'must be an array of strings' }).min(1, { error: 'must not be empty' }).readonly(),
      { error: 'must be an array of commands, each an array of strings' },
    )
    .readonly()
    .default([]),
  maxWriteBytes: positiveInteger.default(65_536),
  commandTimeoutSeconds: z
    .number({ error: 'must be a finite number of seconds' })
    .positive({ error: 'must be more than zero' })
    .default(30),
})

/**
 * A checked, deeply frozen policy with every default filled in and the root as an absolute path without links.
 *
 * @throws AgentError (`invalid_policy`) when a field is missing, unknown or out of range, or when the root is not an
 * existing directory or is a symbolic link.
 */
export function createPolicy(input: unknown): ToolPolicy {
  const fields = parseFields(input)
  const allowedCommands = Object.freeze([...fields.allowedCommands])
  return Object.freeze({ ...fields, allowedCommands, root: checkRoot(fields.root) })
}

function parseFields(input: unknown): ToolPolicy {
  let parsed: ReturnType<typeof policySchema.safeParse>
  try {
    parsed = policySchema.safeParse(input)
  } catch (cause) {
    throw new AgentError('invalid_policy', `the policy cannot be read: ${describeThrown(cause)}`, { cause })
  }
  if (parsed.success) return parsed.data
  throw new AgentError('invalid_policy', `the policy cannot be used: ${describeIssue(parsed.error.issues[0])}`)
}

function describeIssue(issue: z.core.$ZodIssue | undefined): string {
  if (issue === undefined) return 'its fields do not fit'
  if (issue.code === 'unrecognized_keys') return `unknown field ${describeValue(issue.keys[0])}`
  const [field, ...indexes] = issue.path
  if (field === undefined) return 'it must be an object'
  return `"${String(field)}"${indexes.map(index => `[${String(index)}]`).join('')} ${issue.message}`
}

function checkRoot(root: string): string {
  const absolute = resolve(root)
  let stats: Stats
  let real: string
  try {
    stats = lstatSync(absolute)
    real = realpathSync(absolute)
  } catch (cause) {
    const message = `the root ${describeValue(root)} cannot be used; name a directory that exists`
    throw new AgentError('invalid_policy', message, { cause })
  }
  if (stats.isDirectory()) return real
  const fault = stats.isSymbolicLink() ? 'is a symbolic link; name the directory itself' : 'is not a directory'
  throw new AgentError('invalid_policy', `the root ${describeValue(root)} ${fault}`)
}
