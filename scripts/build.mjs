// Builds `dist/`: the library, its command line and the inspector's server with tsc, the inspector's page with Vite.
// Runs in `prepare`, so `npm ci` leaves a package that can be used.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
process.chdir(root)

rmSync('dist', { recursive: true, force: true })
process.exitCode = run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json')
if (existsSync('dist/src/cli/main.js')) chmodSync('dist/src/cli/main.js', 0o755)
if (process.exitCode === 0 && existsSync('vite.config.ts')) {
  process.exitCode = run('node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn')
}

/** @param {string[]} command */
function run(...command) {
  const { error, status } = spawnSync(process.execPath, command, { stdio: 'inherit' })
  if (error) throw error
  return status ?? 1
}
