import { Context } from '@temporalio/activity'
import type { ProbeQuestion } from '../../../adapters/contract.ts'
import { dueSoonCommands, endCommand, flagCommand, touchCommands } from '../../../db/commands/command-ends.ts'
import { type CommandAtWork, unfinishedCommands } from '../../../db/commands/commands.ts'
import { APPLIED, closeOperations, FOUND, mayHaveArrived } from '../../../db/commands/psp-operations.ts'
import { loadPlan } from '../../../db/evidence/evidence-plans.ts'
import { DUE_SOON_GRACE_SECONDS, DUE_SOON_HOURS } from '../../../domain/deadlines.ts'
import { signalDueSoon, startCommand, workflowIdOf } from '../../starters/command.ts'
import type { ActivityDeps } from '../deps.ts'
import { type RunState, runState } from '../operations.ts'
import { acceptance, FOUND_AT_PSP } from './acceptance.ts'
import { questionOf } from './submission.ts'
import { connectWork, look } from './work.ts'

/** Commands per run: four runs a minute get around a thousand that are open. */
const SLICE = 240
/** Runs that Temporal is asked about at once. */
const CHUNK = 10
/** A command this long without a look may have lost its run. */
const QUIET_COMMAND_SECONDS = 10
/** A PSP that doesn't answer must not take the whole run's time; the next one goes on. */
const READING_MS = 30_000
const NOTHING_SENT = 'Nothing could be sent to the PSP in the time that there was: request it again.'

/** Commands whose run is gone: started again, or settled by what the PSP shows. Those that run out of time are told. */
export async function settleCommands(deps: ActivityDeps): Promise<number> {
  let settled = await tellDueSoon(deps)
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
      const reason = reasonOf(state, deps.now() > command.deadline)
      if (!reason) {
        if (await startedAgain(deps, command)) settled++
        continue
      }
      // Before the PSP is read: that may take its time, and whoever terminated the run looks at the row.
      await flagCommand(deps.db, command.commandId, reason)
      unread.push(command)
    }
    Context.current().heartbeat()
  }
  return settled + (await settleByReading(deps, unread))
}

/** Why a command without a running run is not started again; null when it is. */
function reasonOf(state: RunState, late: boolean): string | null {
  if (state === 'CANCELLED') return 'stopped by an operator'
  if (state === 'TERMINATED' || state === 'COMPLETED' || state === 'TIMED_OUT') return 'its run ended without a result'
  return late ? 'not known by the deadline' : null
}

/** Still open although the due date is near: log, metric, timeline and search attribute, while there is time to act. */
async function tellDueSoon(deps: ActivityDeps): Promise<number> {
  const found = await dueSoonCommands(deps.db, {
    hours: DUE_SOON_HOURS,
    graceSeconds: DUE_SOON_GRACE_SECONDS,
    limit: SLICE,
  })
  for (const command of found) {
    const { commandId, kind, chargebackId, merchantUuid, dueDate } = command
    deps.log.warn({ commandId, kind, chargebackId, merchantUuid, dueDate }, 'command is due soon and still open')
    await signalDueSoon(deps, command).catch(() =>
      deps.log.warn({ commandId }, 'the run of a command that is due soon could not be told'),
    )
  }
  return found.length
}

/** Never started, or its run is gone with a wiped Temporal: the run probes before it writes. */
async function startedAgain(deps: ActivityDeps, { commandId }: CommandAtWork): Promise<boolean> {
  try {
    await startCommand(deps, commandId)
    return true
  } catch {
    deps.log.warn({ commandId }, 'a command without a run can not be started')
    return false
  }
}

/** @returns how many ended, or were flagged for the first time */
async function settleByReading(deps: ActivityDeps, commands: CommandAtWork[]): Promise<number> {
  let settled = 0
  const started = Date.now()
  for (const command of commands) {
    const { commandId, needsAttention } = command
    let ended = false
    if (Date.now() - started < READING_MS) {
      // Read later than the others were flagged, so the next run begins with those that this one has no time for.
      await touchCommands(deps.db, [commandId])
      try {
        const end = await endAtPsp(deps, command)
        ended = end !== null && (await endCommand(deps.db, command, end.end, 'reconciler', end.about))
      } catch {
        deps.log.warn({ commandId }, 'the PSP can not be read for a command without a run')
      }
    }
    if (ended || !needsAttention) settled++
  }
  return settled
}

/**
 * How the command ended, as far as the PSP shows; null while it doesn't. What a read shows closes the ledger too. What was
 * not done by the deadline can't be any more unless the ledger has a call of it, which `endCommand` refuses.
 */
async function endAtPsp(deps: ActivityDeps, command: CommandAtWork) {
  const question = await ask(deps, command)
  const { answer, why } = question
    ? await look(deps, await connectWork(deps, command), question)
    : ({ answer: 'not_done', why: '' } as const)
  if (answer === 'done') {
    const sent = question?.sent === true
    await closeOperations(deps.db, command.commandId, 'confirmed', sent ? APPLIED : FOUND)
    return { end: { status: 'succeeded' } as const, about: sent ? {} : FOUND_AT_PSP }
  }
  if (answer === 'not_done' && deps.now() > command.deadline)
    return { end: { status: 'failed', code: 'nothing_sent', error: NOTHING_SENT } as const }
  if (answer !== 'impossible') return null
  await closeOperations(deps.db, command.commandId, 'rejected', 'impossible')
  return { end: { status: 'failed', code: 'rejected_final', error: why } as const }
}

/** Null for a submission that was never planned: nothing was sent that the PSP could be asked about. */
async function ask(deps: ActivityDeps, command: CommandAtWork): Promise<ProbeQuestion | null> {
  const sent = await mayHaveArrived(deps.db, command.commandId)
  if (command.kind === 'acceptance') return { ...acceptance(command).question, sent }
  const stored = await loadPlan(deps.db, deps.ring, command.commandId)
  return stored?.planned ? { ...questionOf(command, { ...stored, planned: stored.planned }), sent } : null
}
