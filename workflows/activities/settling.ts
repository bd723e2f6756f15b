import { Context } from '@temporalio/activity'
import type { ProbeQuestion } from '../../adapters/contract.ts'
import { dueSoonCommands, endCommand, flagCommand, touchCommand } from '../../db/command-ends.ts'
import { type CommandAtWork, unfinishedCommands } from '../../db/commands.ts'
import { loadPlan } from '../../db/evidence-plans.ts'
import { closeOperations } from '../../db/psp-operations.ts'
import { DUE_SOON_GRACE_SECONDS, DUE_SOON_HOURS } from '../../domain/deadlines.ts'
import { signalDueSoon, startCommand, workflowIdOf } from '../starters/command.ts'
import { acceptance } from './acceptance.ts'
import type { ActivityDeps } from './deps.ts'
import { connectWork, look } from './effects.ts'
import { runState } from './operations.ts'
import { questionOf } from './submission.ts'

/** Rows per run: the next one comes in seconds. */
const SLICE = 100
/** A command this long without a sign may have lost its run. */
const QUIET_COMMAND_SECONDS = 10

/** Commands whose run is gone: started again, or settled by what the PSP shows. Those that run out of time are told. */
export async function settleCommands(deps: ActivityDeps): Promise<number> {
  let settled = await tellDueSoon(deps)
  for (const command of await unfinishedCommands(deps.db, QUIET_COMMAND_SECONDS, SLICE)) {
    const state = await runState(deps, workflowIdOf(command), command.commandId)
    await touchCommand(deps.db, command.commandId)
    if (state === 'RUNNING') continue
    if (await settleCommand(deps, command, state)) settled++
    Context.current().heartbeat()
  }
  return settled
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

/** @returns whether anything was mended */
async function settleCommand(deps: ActivityDeps, command: CommandAtWork, state: string): Promise<boolean> {
  const late = deps.now() > command.deadline
  const stopped = ['TERMINATED', 'CANCELED', 'COMPLETED', 'TIMED_OUT'].includes(state)
  if (!late && !stopped) {
    // Never started, or its run is gone with a wiped Temporal. The run probes before it writes.
    await startCommand(deps, command.commandId, { again: true })
    return true
  }
  try {
    const end = await endAtPsp(deps, command)
    if (end && (await endCommand(deps.db, command, end, 'reconciler'))) return true
  } catch {
    deps.log.warn({ commandId: command.commandId }, 'the PSP can not be read for a command without a run')
  }
  await flagCommand(
    deps.db,
    command.commandId,
    stopped ? 'its run ended without a result' : 'not known by the deadline',
  )
  return !command.needsAttention
}

/** How the command ended, as far as the PSP shows; null while it doesn't. What a read shows closes the ledger too. */
async function endAtPsp(deps: ActivityDeps, command: CommandAtWork) {
  const question = await ask(deps, command)
  if (!question) return null
  const { answer, why } = await look(deps, await connectWork(deps, command), question)
  if (answer === 'done') {
    await closeOperations(deps.db, command.commandId, 'confirmed', 'applied')
    return { status: 'succeeded' } as const
  }
  if (answer !== 'impossible') return null
  await closeOperations(deps.db, command.commandId, 'rejected', 'impossible')
  return { status: 'failed', code: 'rejected_final', error: why } as const
}

/** Null for a submission that was never planned: nothing was sent that the PSP could be asked about. */
async function ask(deps: ActivityDeps, command: CommandAtWork): Promise<ProbeQuestion | null> {
  if (command.kind === 'acceptance') return acceptance(command).question
  const stored = await loadPlan(deps.db, deps.ring, command.commandId)
  return stored?.planned ? questionOf(command, stored.planned) : null
}
