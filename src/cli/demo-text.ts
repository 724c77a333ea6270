import { stripVTControlCharacters } from 'node:util'

import type { createColors } from 'picocolors'

import type { AgentAction, AgentCheckpoint, AgentEvent } from '../index.js'
import type { DemoEvent, Evidence } from './demo-events.js'

type Colors = ReturnType<typeof createColors>

const WIDTH = 78
const INDENT = ' '.repeat(20)
const NAME_WIDTH = 30
const FACT_WIDTH = 20

/**
 * A function that turns each event of the demonstration into lines for a person.
 *
 * @param colors - What marks up the text; with its colours off, plain text comes out.
 */
export function createDemoText(colors: Colors): (event: DemoEvent) => string {
  const describe = (event: DemoEvent): readonly string[] => {
    switch (event.type) {
      case 'project':
        return [
          '',
          `${colors.bold('safepoint demo')}  a run that is stopped at its boundary and resumed by a fresh model`,
          '',
          ...field('project', event.root, colors),
          ...field('task', event.task, colors),
          ...field('node --test', `${event.test}, before the run`, colors),
          '',
        ]
      case 'state':
        return [describeState(event, colors)]
      case 'action':
        return [note(colors.cyan('asks'), describeAction(event.action))]
      case 'approval':
        return [note(colors.yellow('approval'), event.approved ? 'yes' : 'no')]
      case 'interaction':
        return describeInteraction(event.interaction, colors)
      case 'checkpoint':
        return describeCheckpoint(event.checkpoint, colors)
      case 'freshModel':
        return [
          ...field('fresh model', `a new object, at response ${event.responseIndex}; the first one is dropped`, colors),
          '',
        ]
      case 'receipt':
        return [] // shown as evidence
      case 'file':
        return [
          ...field(event.file.path, `permission bits ${event.file.mode}, content:`, colors),
          ...event.file.content
            .trimEnd()
            .split('\n')
            .map(line => `${INDENT}${colors.dim(`│ ${line}`)}`),
          '',
          colors.dim(`  ${'evidence'.padEnd(NAME_WIDTH)}${'at the boundary'.padEnd(FACT_WIDTH)}at the end`),
        ]
      case 'evidence':
        return [describeEvidence(event.evidence, colors)]
      case 'inspector':
        return field('inspector', event.url, colors)
      case 'saved':
        return field('saved', event.file, colors)
      case 'result':
        return [
          '',
          event.holds
            ? colors.green(colors.bold('The evidence holds: no recorded effect ran again.'))
            : colors.red(colors.bold('The evidence does not hold.')),
          '',
        ]
    }
  }
  return event =>
    describe(event)
      .map(line => `${line}\n`)
      .join('')
}

function describeState(event: DemoEvent & { type: 'state' }, colors: Colors): string {
  const { state, toolCalls, afterToolCalls } = event
  const name = state.startsWith('maybeCheckpoint') ? colors.green(state) : colors.bold(state)
  if (state !== 'maybeCheckpoint.boundary' || afterToolCalls === null) return `● ${name}`
  const gate = toolCalls === afterToolCalls ? colors.green('the gate opens') : 'the gate stays shut'
  return `● ${name}  ${toolCalls} of ${afterToolCalls} tool calls: ${gate}`
}

function describeCheckpoint({ checkpointId, messages, model }: AgentCheckpoint, colors: Colors): readonly string[] {
  const rule = `━━ boundary ${'━'.repeat(WIDTH - 12)}`
  return [
    '',
    colors.green(colors.bold(rule)),
    ...field('checkpoint', checkpointId, colors),
    ...field('messages', messages.map(([role]) => role).join(', '), colors),
    ...field('position', `${model.conversationPosition} messages`, colors),
    ...field('next response', String(model.responseIndex), colors),
    ...field('token ids', model.cachedTokenIds.join(', '), colors),
    ...field('layer offsets', model.layerOffsets.join(', '), colors),
    colors.green(colors.bold('━'.repeat(WIDTH))),
    '',
  ]
}

function describeEvidence({ name, before, after, holds }: Evidence, colors: Colors): string {
  const mark = holds ? colors.green('✓') : colors.red('✗')
  return `${mark} ${name.padEnd(NAME_WIDTH)}${(before ?? '').padEnd(FACT_WIDTH)}${after}`
}

function describeInteraction({ action, result }: AgentEvent, colors: Colors): readonly string[] {
  if (action?.kind === 'final') return [note(colors.cyan('answers'), action.final)]
  return excerpt(result).map((line, index) => note(index === 0 ? colors.cyan('result') : '', colors.dim(`│ ${line}`)))
}

function describeAction(action: AgentAction | null): string {
  if (action === null) return 'no valid action'
  if (action.kind === 'final') return `final ${action.final}`
  if (action.tool === 'run_command') return `run_command ${action.arguments.argv.join(' ')}`
  if (action.tool === 'edit_file') {
    const { path, old, new: replacement } = action.arguments
    return `edit_file ${path}: ${old} → ${replacement}`
  }
  return `${action.tool} ${action.arguments.path ?? '.'}`
}

function excerpt(result: string | null): readonly string[] {
  if (result === null) return []
  const lines = result.trimEnd().split('\n')
  const shown = lines.slice(0, 4).map(line => (line.length > 56 ? `${line.slice(0, 55)}…` : line))
  return lines.length > 4 ? [...shown, `… ${lines.length - 4} lines more`] : shown
}

/** A line under a state. The name may be marked up, so it is padded by what is seen of it. */
function note(name: string, value: string): string {
  const width = stripVTControlCharacters(name).length
  return `    ${name}${' '.repeat(Math.max(0, 16 - width))}${value}`
}

function field(name: string, value: string, colors: Colors): readonly string[] {
  return [`  ${colors.dim(name.padEnd(16))}  ${value}`]
}
