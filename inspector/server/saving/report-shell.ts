import { createHash } from 'node:crypto'

import { AgentError } from 'safepoint'

import type { PageFiles } from '../serving/page-files.js'

/** A report without its events: what stands before them, and what after. */
export interface ReportShell {
  readonly head: string
  readonly tail: string
}

/**
 * The page as one file that needs no server: its script and its style stand in it, and a policy of its own lets these
 * two run, by their hashes, and nothing else.
 *
 * @throws AgentError (`inspector_failed`) when the built page is not as expected.
 */
export function createReportShell({ html, script, style }: PageFiles): ReportShell {
  const inlineScript = escapeScript(script)
  const inlineStyle = style.replace(/<\/style/gi, '<\\/style')
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(inlineScript)}'`,
    `style-src '${hashOf(inlineStyle)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  const bare = html
    .replace(/<script\b[^>]*\bsrc=["'][^"']*page\.js["'][^>]*>\s*<\/script>/i, '')
    .replace(/<link\b[^>]*\bhref=["'][^"']*page\.css["'][^>]*>/i, '')
  const [, before, inHead, between, inBody, after] =
    /^([\s\S]*?<head\b[^>]*>)([\s\S]*?)(<\/head>[\s\S]*?<body\b[^>]*>)([\s\S]*?)(<\/body>[\s\S]*)$/i.exec(bare) ?? []
  if (before === undefined || bare === html) {
    throw new AgentError('inspector_failed', 'The built page is not as a report needs it; run "npm run build" again.')
  }
  // The policy must come before all that it rules, and the characters' encoding within the first 1,024 bytes.
  const meta = `<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">`
  return {
    head: `${before}${meta}${inHead}<style>${inlineStyle}</style>${between}${inBody}<script type="application/json" id="saved-run">{"events":[`,
    tail: `]}</script><script type="module">${inlineScript}</script>${after}`,
  }
}

/** A line of the stream as it may stand in a page: no character in it means anything to HTML, or ends a line of script. */
export function escapeLine(line: string): string {
  return line.replace(/[<>&\u2028\u2029]/g, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/**
 * A line of the stream as it is saved: nothing can be controlled in it any more. In JSON the quotes of a text are always
 * escaped, so that the words are found only where they are the session's own.
 */
export function toSavedLine(line: string): string {
  return line.replace('"controllable":true', '"controllable":false')
}

// Inside a string, a template or a regular expression the added backslash changes nothing.
function escapeScript(script: string): string {
  return script.replace(/<(?=\/script|!--)/gi, '\\x3c')
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
