import { AgentError, describeValue } from '../errors.js'

/**
 * Runs an operation of the file system. What the system refuses becomes an `AgentError` (`io_failed`) that names the
 * path as the model knows it, and keeps the original as `cause`; an `AgentError` passes unchanged.
 */
export async function withIoFaults<T>(doing: string, path: string, operation: () => Promise<T>): Promise<T> {
  try {
    return await operation()
  } catch (cause) {
    if (cause instanceof AgentError) throw cause
    const message = `the file system refused to ${doing} ${describeValue(path)}: ${explain(systemCode(cause))}`
    throw new AgentError('io_failed', message, { cause })
  }
}

/** The code of a system error, such as `ENOENT`; an empty text for anything else. */
export function systemCode(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : ''
}

// The system's own message names the absolute path, which is no business of the model's.
function explain(code: string): string {
  switch (code) {
    case 'ENAMETOOLONG':
      return 'a name is too long (ENAMETOOLONG); choose a shorter one'
    case 'EACCES':
    case 'EPERM':
      return `permission denied (${code})`
    case 'ENOSPC':
    case 'EDQUOT':
      return `no space is left (${code})`
    case 'EROFS':
      return 'it is read-only (EROFS)'
    case 'EMFILE':
    case 'ENFILE':
      return `too many files are open (${code}); try again`
    default:
      return code === '' ? 'it failed' : code
  }
}
