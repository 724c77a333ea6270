import { randomBytes } from 'node:crypto'

import { AgentError, describeValue } from '../errors.js'
import { isBlank } from '../unicode.js'

/** A path inside the workspace, as text alone: nothing has been looked up yet. */
export interface WorkspacePath {
  /** The one spelling in which the path is reported, with forward slashes; `.` is the root. */
  readonly relative: string
  /** Its names from the root on; empty for the root. */
  readonly names: readonly string[]
}

const PROTECTED_NAMES = new Set(['.aws', '.env', '.git', '.ssh', 'credentials', 'id_ed25519', 'id_rsa'])
const PROTECTED_ENDINGS = ['.key', '.pem']
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu
/** No system takes a longer one, and looking through its names would take long. */
const MAX_PATH_UNITS = 4_096
const TEMPORARY_NAME = /^\.safepoint-[0-9a-f]{12}\.tmp$/

/**
 * Reads a path that a model or a caller gave: relative, without `..`, with nothing protected on the way.
 *
 * @throws AgentError (`path_refused`) that names the path and the rule it breaks.
 */
export function parsePath(text: string): WorkspacePath {
  const refuse = (fault: string): AgentError =>
    new AgentError('path_refused', `the path ${describeValue(text)} ${fault}`)
  if (text.length > MAX_PATH_UNITS) throw refuse(`is longer than any path; at most ${MAX_PATH_UNITS} characters`)
  if (isBlank(text)) throw refuse('is blank; name a file or a directory of the workspace')
  if (text.includes('\0')) throw refuse('contains NUL')
  if (!text.isWellFormed()) throw refuse('has a lone surrogate, which no file name can hold')
  if (text.startsWith('/')) throw refuse('is absolute; give it relative to the workspace root')
  const names = text.split('/').filter(name => name !== '' && name !== '.')
  if (names.includes('..')) throw refuse('contains ".."; give it from the workspace root down')
  const hidden = names.find(name => isProtectedName(name) || isTemporaryName(name))
  if (hidden !== undefined) throw refuse(`is protected: ${describeValue(hidden)} is out of bounds for every tool`)
  return { relative: names.length === 0 ? '.' : names.join('/'), names }
}

/** The path of an entry of a directory. */
export function childPath(directory: WorkspacePath, name: string): string {
  return directory.names.length === 0 ? name : `${directory.relative}/${name}`
}

/** Whether a name stands for secrets or for version control, whatever its case. */
export function isProtectedName(name: string): boolean {
  const folded = foldName(name)
  return (
    PROTECTED_NAMES.has(folded) ||
    folded.startsWith('.env.') ||
    PROTECTED_ENDINGS.some(ending => folded.endsWith(ending))
  )
}

/** Whether a name is one of the workspace's own temporary files; a process killed in mid-write may leave one. */
export function isTemporaryName(name: string): boolean {
  return TEMPORARY_NAME.test(name)
}

/** A new name that `isTemporaryName` recognises; short, so that it fits beside a name of any length. */
export function createTemporaryName(): string {
  return `.safepoint-${randomBytes(6).toString('hex')}.tmp`
}

// Some file systems take `ſ` for `s`, the Kelvin sign for `k`, and a name with invisible characters for one without.
function foldName(name: string): string {
  return name.replace(IGNORABLE, '').toUpperCase().toLowerCase()
}
