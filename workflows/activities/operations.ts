import { Context } from '@temporalio/activity'
import { type WorkflowExecutionStatusName, WorkflowNotFoundError } from '@temporalio/client'
import { quietIntegrations, scheduledIntegrations, unverifiedIntegrations } from '../../db/connections.ts'
import { closeDataWindows, closeOverdue } from '../../db/deadline-sweeps.ts'
import { forgetExpiredKeys } from '../../db/idempotency-keys.ts'
import { enqueue } from '../../db/outbox.ts'
import { verificationWorkflowId } from '../contract.ts'
import { dispatchDue } from '../dispatch.ts'
import { deletePollSchedule, existingSchedules, syncPollSchedule, triggerPoll } from '../schedules.ts'
import type { ActivityDeps } from './deps.ts'

/** Rows per step and run: the next run comes in seconds. */
const SLICE = 100

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
    await triggerPoll(deps.temporal, integrationId, deps.now()).catch(() =>
      enqueue(deps.db, { kind: 'sync_schedule', payload: { integrationId } }),
    )
  }
  return quiet.length
}

/** Moves what time alone decides, and forgets what its time is over. */
export async function sweepDeadlines(deps: ActivityDeps): Promise<number> {
  const now = deps.now()
  await forgetExpiredKeys(deps.db, SLICE * 20)
  const overdue = await closeOverdue(deps.db, now, SLICE * 5)
  return overdue + (await closeDataWindows(deps.db, now, SLICE * 5))
}

/** NONE when Temporal knows no run, or one of another command. */
export type RunState = WorkflowExecutionStatusName | 'NONE'

/** State of the run behind an id. */
export async function runState(deps: ActivityDeps, workflowId: string, commandId?: string): Promise<RunState> {
  try {
    const description = await deps.temporal.workflow.getHandle(workflowId).describe()
    if (commandId && description.memo?.commandId !== commandId) return 'NONE'
    return description.status.name
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'NONE'
    throw error
  }
}
