// Builds `dist/` from `src/`. Runs in `prepare`, so `npm ci` leaves a package that can be used.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
process.chdir(root)

rmSync('dist', { recursive: true, force: true })
const compiled = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
})
if (compiled.error) throw compiled.error
if (existsSync('dist/src/cli/main.js')) chmodSync('dist/src/cli/main.js', 0o755)
process.exitCode = compiled.status ?? 1
