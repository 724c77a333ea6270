import { spawn } from 'node:child_process'

/** Whether a browser can be opened for the person at this terminal: not in CI, over SSH, or without a screen. */
export function canOpenBrowser(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): boolean {
  const { CI, SSH_CONNECTION, SSH_TTY, DISPLAY, WAYLAND_DISPLAY } = environment
  if (CI || SSH_CONNECTION || SSH_TTY) return false
  return platform !== 'linux' || Boolean(DISPLAY || WAYLAND_DISPLAY)
}

/** Opens a URL in the browser. Nothing is said when that fails: the URL is printed in any case. */
export function openBrowser(url: string, platform: NodeJS.Platform): void {
  const [command, ...parameters] = commandFor(url, platform)
  const child = spawn(command, parameters, { detached: true, stdio: 'ignore' })
  child.on('error', () => undefined)
  child.unref()
}

function commandFor(url: string, platform: NodeJS.Platform): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['open', url]
  return platform === 'win32' ? ['cmd', '/c', 'start', '', url] : ['xdg-open', url]
}
