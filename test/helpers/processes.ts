import { existsSync, readFileSync } from 'node:fs'

/** Whether a process runs; one that is dead and only waits to be collected does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  const status = `/proc/${pid}/stat`
  return !existsSync(status) || !/\) [ZX] /.test(readFileSync(status, 'utf8'))
}
