import { Context } from '@temporalio/activity'
import type { ProbeQuestion } from '../../../adapters/contract.ts'
import {
  dueSoonCommands,
  endCommand,
  flagCommand,
  lockCommand,
  touchCommands,
} from '../../../db/commands/command-ends.ts'
import { type CommandAtWork, unfinishedCommands } from '../../../db/commands/commands.ts'
import { APPLIED, closeOperations, FOUND, isCalling, ownCall, wasFound } from '../../../db/commands/psp-operations.ts'
import { loadPlan } from '../../../db/evidence/evidence-plans.ts'
import { DUE_SOON_GRACE_SECONDS, DUE_SOON_HOURS } from '../../../domain/deadlines.ts'
import { signalDueSoon, startCommand, workflowIdOf } from '../../starters/command.ts'
import type { ActivityDeps } from '../deps.ts'
import { type RunState, runState } from '../operations.ts'
import { acceptance, FOUND_AT_PSP } from './acceptance.ts'
import { questionOf } from './submission.ts'
import { connectWork, probeAtPsp } from './work.ts'

/** Commands per run: four runs a minute cover about a thousand open commands. */
const SLICE = 240
/** Concurrent status requests to Temporal. */
const CHUNK = 10
/** A command without a check for this long may have lost its workflow run. */
const QUIET_COMMAND_SECONDS = 10
/** A PSP that does not respond must not use up the run's time; the next run continues. */
const PROBES_MS = 30_000
const SUCCEEDED = { status: 'succeeded' } as const
const aboutOf = (ours: boolean) => (ours ? {} : FOUND_AT_PSP)
/** Source of the timeline rows. */
const SOURCE = 'reconciler'
const NOTHING_SENT = 'Nothing could be sent to the PSP in the time that there was: request it again.'

/**
 * Commands without a workflow run: restarts them, or resolves them from the PSP's state. Flags those close to their due
 * date.
 */
export async function reconcileCommands(deps: ActivityDeps): Promise<number> {
  let resolved = await flagDueSoon(deps)
  const unread: CommandAtWork[] = []
  const found = await unfinishedCommands(deps.db, QUIET_COMMAND_SECONDS, SLICE)
  for (let from = 0; from < found.length; from += CHUNK) {
    const chunk = found.slice(from, from + CHUNK)
    const states = await Promise.all(chunk.map((one) => runState(deps, workflowIdOf(one), one.commandId)))
    await touchCommands(
      deps.db,
      chunk.map(({ commandId }) => commandId),
    )
    for (const [index, command] of chunk.entries()) {
      const state = states[index] as RunState
      if (state === 'RUNNING') continue
      const reason = flagReason(state, deps.now() > command.deadline)
      if (!reason) {
        if (await restart(deps, command)) resolved++
        continue
      }
      // Before the PSP is read, because that takes time and an operator who terminated the run checks the row.
      await flagCommand(deps.db, command.commandId, reason)
      unread.push(command)
    }
    Context.current().heartbeat()
  }
  return resolved + (await resolveByReading(deps, unread))
}

/** Why a command without an active workflow run is not restarted; null when it is. */
function flagReason(state: RunState, late: boolean): string | null {
  if (state === 'CANCELLED') return 'stopped by an operator'
  if (state === 'TERMINATED' || state === 'COMPLETED' || state === 'TIMED_OUT') return 'its run ended without a result'
  return late ? 'not known by the deadline' : null
}

/** Open commands near their due date: log, metric, timeline and search attribute, while there is time to act. */
async function flagDueSoon(deps: ActivityDeps): Promise<number> {
  const found = await dueSoonCommands(deps.db, {
    hours: DUE_SOON_HOURS,
    graceSeconds: DUE_SOON_GRACE_SECONDS,
    limit: SLICE,
  })
  for (const command of found) {
    const { commandId, kind, chargebackId, merchantUuid, dueDate } = command
    deps.log.warn({ commandId, kind, chargebackId, merchantUuid, dueDate }, 'command due soon and still open')
    await signalDueSoon(deps, command).catch(() => deps.log.warn({ commandId }, 'due-soon signal failed'))
  }
  return found.length
}

/**
 * Restarts a command that was never started, or whose run was lost with a wiped Temporal: the run probes before it
 * writes.
 */
async function restart(deps: ActivityDeps, { commandId }: CommandAtWork): Promise<boolean> {
  try {
    await startCommand(deps, commandId)
    return true
  } catch {
    deps.log.warn({ commandId }, 'command restart failed')
    return false
  }
}

/** @returns how many were closed, or flagged for the first time */
async function resolveByReading(deps: ActivityDeps, commands: CommandAtWork[]): Promise<number> {
  let resolved = 0
  const started = Date.now()
  for (const command of commands) {
    const { commandId, needsAttention } = command
    let ended = false
    if (Date.now() - started < PROBES_MS) {
      // Touched one by one, so that the next run begins with the commands that this one has no time for.
      await touchCommands(deps.db, [commandId])
      try {
        ended = await endByReading(deps, command)
      } catch {
        deps.log.warn({ commandId }, 'probe of a command without a workflow run failed')
      }
    }
    if (ended || !needsAttention) resolved++
  }
  return resolved
}

/**
 * Ends a command by the PSP's state. The read says nothing about a call that was claimed after the question, nor rules
 * out one in flight: then a later run reads again. After the deadline the command fails, unless the ledger holds a call
 * of it, which `endCommand` refuses.
 * @returns false while the outcome is unknown
 */
async function endByReading(deps: ActivityDeps, command: CommandAtWork): Promise<boolean> {
  const { commandId } = command
  const { sent, taken, confirmed } = await ownCall(deps.db, commandId)
  // An earlier read confirmed the effect; later changes of the dispute do not undo it.
  if (confirmed) return endCommand(deps.db, command, SUCCEEDED, SOURCE, aboutOf(!(await wasFound(deps.db, commandId))))
  const question = await probeQuestion(deps, command)
  const { answer, why } = question
    ? await probeAtPsp(deps, await connectWork(deps, command), { ...question, sent, taken })
    : ({ answer: 'not_done', why: '' } as const)
  if (answer === 'not_done' && deps.now() > command.deadline)
    return endCommand(deps.db, command, { status: 'failed', code: 'nothing_sent', error: NOTHING_SENT }, SOURCE)
  if (answer !== 'done' && answer !== 'impossible') return false
  return deps.db.transaction().execute(async (trx) => {
    await lockCommand(trx, commandId)
    const own = await ownCall(trx, commandId)
    if (own.sent !== sent || own.taken !== taken) return false
    if (answer === 'done') {
      await closeOperations(trx, commandId, 'confirmed', sent ? APPLIED : FOUND)
      return endCommand(trx, command, SUCCEEDED, SOURCE, aboutOf(sent))
    }
    if (await isCalling(trx, commandId)) return false
    await closeOperations(trx, commandId, 'rejected', 'impossible')
    return endCommand(trx, command, { status: 'failed', code: 'rejected_final', error: why }, SOURCE)
  })
}

/** Null for a submission that was never planned: nothing was sent, so there is nothing to probe. */
async function probeQuestion(deps: ActivityDeps, command: CommandAtWork): Promise<ProbeQuestion | null> {
  if (command.kind === 'acceptance') return acceptance(command).question
  const stored = await loadPlan(deps.db, deps.ring, command.commandId)
  return stored?.planned ? questionOf(command, { ...stored, planned: stored.planned }) : null
}
