/** What every response says, whatever it carries: nothing of it is kept, guessed at, framed, or shared. */
export function createHeaders(type: string, port: number): Readonly<Record<string, string>> {
  const sockets = `ws://127.0.0.1:${port} ws://localhost:${port}`
  return {
    'Content-Type': type,
    'Content-Security-Policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      `connect-src 'self' ${sockets}`,
      "img-src 'self' data:",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
  }
}
