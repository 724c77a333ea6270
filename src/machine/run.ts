import { createActor } from 'xstate'

import { type AgentCheckpoint, copyCheckpoint } from '../checkpoint/agent-checkpoint.js'
import { AgentError, describeValue } from '../errors.js'
import type { AgentWorkspace, CheckpointableModel, Model } from '../ports.js'
import { agentMachine } from './agent-machine.js'
import type { AgentEvent, AgentRun } from './agent-run.js'
import { callOut } from './call-out.js'
import { drive } from './drive.js'
import { guardInspect, type Inspect } from './inspection.js'
import type { AgentLimits } from './limits.js'
import { RunEndedError } from './run-ended-error.js'
import { requireMethod, requireObject, resumeContext } from './start.js'

/** What a caller may set for one run. */
export interface RunOptions {
  /** Limits that differ from the defaults. */
  readonly limits?: Partial<AgentLimits> | undefined
  /**
   * Called with each interaction right after it is recorded, not awaited. A throw, or a returned promise that rejects,
   * ends the run with an `AgentError` (`listener_failed`). A promise that rejects when the run is over already has
   * nobody left to tell: it becomes an unhandled rejection, so give it a handler of its own.
   */
  readonly onEvent?: ((event: AgentEvent) => unknown) | undefined
  /** Aborts the run: its promise rejects at once with the signal's reason, and nothing further is started. */
  readonly signal?: AbortSignal | undefined
  /** XState's inspect option: a function or an observer. What it throws is reported once; the run is not affected. */
  readonly inspect?: Inspect | undefined
}

/** The same, for a run that is to stop at the boundary. */
export interface CheckpointOptions extends RunOptions {
  /** How many tool calls the boundary comes after; 1 when left out. */
  readonly afterToolCalls?: number | undefined
}

/**
 * Runs a task to its end.
 *
 * @param task - What the model is to do; not blank.
 * @param model - Called once a step.
 * @param workspace - Runs the tools the model asks for.
 * @returns The finished run, whatever its stop reason: reaching a limit is not an error.
 * @throws AgentError: `invalid_task`, `invalid_option` before anything has run; `model_failed`, `workspace_failed`,
 * `listener_failed` with the thrown value as `cause`. An aborted signal's reason is thrown as it is.
 */
export async function runAgent(
  task: string,
  model: Model,
  workspace: AgentWorkspace,
  options: RunOptions = {},
): Promise<AgentRun> {
  return asRun(await start(task, model, workspace, options, false))
}

/**
 * Runs a task until the observation of its `afterToolCalls`-th tool call has been appended, and saves it there.
 *
 * @returns The checkpoint. The library keeps no copy of it.
 * @throws RunEndedError (`run_ended`) when the run ends before the boundary; AgentError as `runAgent`, and
 * `not_checkpointable` before anything has run, `save_failed`, `invalid_model_checkpoint`. There is never a partial
 * checkpoint.
 */
export async function runToCheckpoint(
  task: string,
  model: CheckpointableModel,
  workspace: AgentWorkspace,
  options: CheckpointOptions = {},
): Promise<AgentCheckpoint> {
  return asCheckpoint(await start(task, model, workspace, options, true))
}

/**
 * Goes on from a checkpoint with a fresh model, to the end. The first thing that happens after the restore is a model
 * call with exactly the saved messages; no saved action is submitted again. Budgets start anew.
 *
 * @param checkpoint - Validated first; the resume works on its own copy.
 * @param freshModel - Its `restoreCheckpoint` is called once, before anything else.
 * @throws AgentError as `runAgent`, and `invalid_checkpoint`, `not_checkpointable`, `restore_failed`.
 */
export async function resumeAgent(
  checkpoint: AgentCheckpoint,
  freshModel: CheckpointableModel,
  workspace: AgentWorkspace,
  options: RunOptions = {},
): Promise<AgentRun> {
  return asRun(await resume(checkpoint, freshModel, workspace, options, false))
}

/**
 * Goes on from a checkpoint and stops again at the same boundary, its tool calls counted from the resume.
 *
 * @returns A new checkpoint, with no link to the one before.
 * @throws As `resumeAgent` and `runToCheckpoint` do.
 */
export async function resumeToCheckpoint(
  checkpoint: AgentCheckpoint,
  freshModel: CheckpointableModel,
  workspace: AgentWorkspace,
  options: CheckpointOptions = {},
): Promise<AgentCheckpoint> {
  return asCheckpoint(await resume(checkpoint, freshModel, workspace, options, true))
}

async function start(
  task: string,
  model: Model,
  workspace: AgentWorkspace,
  options: CheckpointOptions,
  hasBoundary: boolean,
): Promise<AgentRun | AgentCheckpoint> {
  checkOptions(options)
  const afterToolCalls = hasBoundary ? readBoundary(options) : undefined
  const input = { task, model, workspace, limits: options.limits, afterToolCalls }
  return drive(options, signal => createActor(agentMachine, { input: { ...input, signal }, ...inspection(options) }))
}

async function resume(
  checkpoint: AgentCheckpoint,
  model: CheckpointableModel,
  workspace: AgentWorkspace,
  options: CheckpointOptions,
  hasBoundary: boolean,
): Promise<AgentRun | AgentCheckpoint> {
  checkOptions(options)
  const afterToolCalls = hasBoundary ? readBoundary(options) : undefined
  const saved = copyCheckpoint(checkpoint)
  const input = { task: saved.task, model, workspace, limits: options.limits, afterToolCalls }
  const context = resumeContext(saved, input)
  requireMethod('model', model, 'restoreCheckpoint', 'not_checkpointable')
  await callOut({ code: 'restore_failed', name: 'model.restoreCheckpoint' }, [options.signal], () =>
    model.restoreCheckpoint(saved.model),
  )
  return drive(options, signal => {
    const snapshot = agentMachine.resolveState({
      value: { maybeCheckpoint: 'restored' },
      context: { ...context, signal },
    })
    return createActor(agentMachine, { input: { ...input, signal }, snapshot, ...inspection(options) })
  })
}

function readBoundary({ afterToolCalls = 1 }: CheckpointOptions): number {
  return afterToolCalls
}

function inspection({ inspect }: RunOptions): { readonly inspect?: ReturnType<typeof guardInspect> } {
  return inspect === undefined ? {} : { inspect: guardInspect(inspect) }
}

// A signal that is already aborted comes before every other check.
function checkOptions(options: RunOptions): void {
  requireObject('The options of a run', options)
  const { signal, onEvent, inspect } = options
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new AgentError('invalid_option', `signal must be an AbortSignal, not ${describeValue(signal)}.`)
  }
  signal?.throwIfAborted()
  if (onEvent !== undefined && typeof onEvent !== 'function') {
    throw new AgentError('invalid_option', `onEvent must be a function, not ${describeValue(onEvent)}.`)
  }
  const isObserver = typeof inspect === 'function' || (typeof inspect === 'object' && inspect !== null)
  if (inspect === undefined || isObserver) return
  throw new AgentError('invalid_option', `inspect must be a function or an observer, not ${describeValue(inspect)}.`)
}

function asRun(output: AgentRun | AgentCheckpoint): AgentRun {
  if ('checkpointId' in output) throw new Error('A run without a boundary cannot end in a checkpoint.')
  return output
}

function asCheckpoint(output: AgentRun | AgentCheckpoint): AgentCheckpoint {
  if ('checkpointId' in output) return output
  throw new RunEndedError(output)
}
