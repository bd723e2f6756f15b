import { Context } from '@temporalio/activity'
import { WorkflowNotFoundError } from '@temporalio/client'
import { endCommand, flagCommand, touchCommand } from '../../db/command-ends.ts'
import { type CommandAtWork, unfinishedCommands } from '../../db/commands.ts'
import {
  loadConnection,
  quietIntegrations,
  scheduledIntegrations,
  unverifiedIntegrations,
} from '../../db/connections.ts'
import { closeDataWindows, closeOverdue } from '../../db/deadline-sweeps.ts'
import { enqueue } from '../../db/outbox.ts'
import { acceptanceWorkflowId, verificationWorkflowId } from '../contract.ts'
import { dispatchDue, startAcceptance } from '../dispatch.ts'
import { deletePollSchedule, existingSchedules, syncPollSchedule, triggerPoll } from '../schedules.ts'
import { acceptance } from './acceptance.ts'
import type { ActivityDeps } from './deps.ts'
import { look } from './effects.ts'
import { connectAtPsp } from './psp.ts'

/** Rows per step and run: the next run comes in seconds. */
const SLICE = 100
/** A command this long without a sign may have lost its run. */
const QUIET_COMMAND_SECONDS = 10

/** Outbox rows that no relay took. */
export async function drainOutbox(deps: ActivityDeps): Promise<number> {
  return dispatchDue(deps, SLICE)
}

/** One schedule per verified integration, paused as its row says; none for any other. */
export async function reconcileSchedules(deps: ActivityDeps): Promise<number> {
  const wanted = new Map((await scheduledIntegrations(deps.db)).map((one) => [one.integrationId, one]))
  const existing = await existingSchedules(deps.temporal)
  let mended = 0
  for (const integration of wanted.values()) {
    const found = existing.get(integration.integrationId)
    const paused = integration.paused || integration.status !== 'SUCCESSFUL'
    // An operator's own pause in the UI stands; only a pause that the row asks for is enforced.
    const asConfigured = found?.every === deps.polling.intervalSeconds * 1000
    if (found && asConfigured && (found.paused || !paused)) continue
    await syncPollSchedule(deps.temporal, integration, deps.polling)
    mended++
    Context.current().heartbeat()
  }
  for (const integrationId of existing.keys()) {
    if (wanted.has(integrationId)) continue
    await deletePollSchedule(deps.temporal, integrationId)
    mended++
  }
  return mended
}

/** Integrations that wait for a verdict have a running check. */
export async function reconcileVerifications(deps: ActivityDeps): Promise<number> {
  let mended = 0
  for (const integrationId of await unverifiedIntegrations(deps.db, SLICE)) {
    if ((await runState(deps, verificationWorkflowId(integrationId))) === 'RUNNING') continue
    await enqueue(deps.db, { kind: 'verify_integration', payload: { integrationId } })
    mended++
  }
  return mended
}

/** A schedule can stop firing without a word: polls that went quiet are triggered. */
export async function triggerQuietPolls(deps: ActivityDeps): Promise<number> {
  const quiet = await quietIntegrations(deps.db, deps.polling.intervalSeconds * 3 + 30, SLICE)
  for (const integrationId of quiet) {
    deps.log.warn({ integrationId }, 'polls went quiet, triggering one')
    await triggerPoll(deps.temporal, integrationId).catch(() =>
      enqueue(deps.db, { kind: 'sync_schedule', payload: { integrationId } }),
    )
  }
  return quiet.length
}

/** Commands whose run is gone: started again, or settled by what the PSP shows. */
export async function settleCommands(deps: ActivityDeps): Promise<number> {
  let settled = 0
  for (const command of await unfinishedCommands(deps.db, QUIET_COMMAND_SECONDS, SLICE)) {
    const state = await runState(deps, acceptanceWorkflowId(command.chargebackId, command.round), command.commandId)
    await touchCommand(deps.db, command.commandId)
    if (state === 'RUNNING') continue
    if (await settleCommand(deps, command, state)) settled++
    Context.current().heartbeat()
  }
  return settled
}

/** @returns whether anything was mended */
async function settleCommand(deps: ActivityDeps, command: CommandAtWork, state: string): Promise<boolean> {
  const late = deps.now() > command.deadline
  const stopped = ['TERMINATED', 'CANCELED', 'COMPLETED', 'TIMED_OUT'].includes(state)
  if (!late && !stopped) {
    // Never started, or its run is gone with a wiped Temporal. The run probes before it writes.
    await startAcceptance(deps, command.commandId)
    return true
  }
  const connection = await loadConnection(deps.db, command.integrationId)
  if (!connection) return false
  try {
    const psp = connectAtPsp(deps, connection, 'command', Context.current().cancellationSignal)
    const probe = await look(deps, { command, connection, psp }, acceptance(command).question)
    if (probe.answer === 'done') return endCommand(deps.db, command, { status: 'succeeded' }, 'reconciler')
    if (probe.answer === 'impossible')
      return endCommand(deps.db, command, { status: 'failed', code: 'rejected_final', error: probe.why }, 'reconciler')
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

/** Moves what time alone decides. */
export async function sweepDeadlines(deps: ActivityDeps): Promise<number> {
  const now = deps.now()
  const overdue = await closeOverdue(deps.db, now, SLICE * 5)
  return overdue + (await closeDataWindows(deps.db, now, SLICE * 5))
}

/** State of the run behind an id: NONE when Temporal knows none, or one of another command. */
async function runState(deps: ActivityDeps, workflowId: string, commandId?: string): Promise<string> {
  try {
    const description = await deps.temporal.workflow.getHandle(workflowId).describe()
    if (commandId && description.memo?.commandId !== commandId) return 'NONE'
    return description.status.name
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'NONE'
    throw error
  }
}
