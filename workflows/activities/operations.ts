import { type WorkflowExecutionStatusName, WorkflowNotFoundError } from '@temporalio/client'
import { sources } from '../../adapters/registry.ts'
import { closeDataWindows, closeOverdue } from '../../db/commands/deadline-sweeps.ts'
import { enqueue } from '../../db/core/outbox.ts'
import { expireRows as expire } from '../../db/core/retention.ts'
import {
  quietIntegrations,
  type ScheduledIntegration,
  scheduledIntegrations,
  unverifiedIntegrations,
} from '../../db/integrations/connections.ts'
import { sweepRotations } from '../../db/integrations/secret-rotations.ts'
import { SECRET_TYPES } from '../../domain/integration.ts'
import { verificationWorkflowId } from '../contract.ts'
import { dispatchDue, syncSchedule } from '../starters/dispatch.ts'
import { type ExistingSchedule, existingSchedules, triggerPoll } from '../starters/schedules.ts'
import type { ActivityDeps } from './deps.ts'

/** Rows per step and run: the next run comes in seconds. */
const SLICE = 100
/** Schedules are made and mended for this long in one run. */
const MENDING_MS = 20_000
/** Listing them takes seconds where there are thousands: this process does nothing else at most a twentieth of its time. */
const LISTING_SHARE = 20

/** Outbox rows that no relay took. */
export async function drainOutbox(deps: ActivityDeps): Promise<number> {
  return dispatchDue(deps, SLICE)
}

/**
 * One schedule per verified integration, paused as its row says; none for any other. Commands wait for it to end: it takes
 * a part of a run's time only, and the next one goes on.
 */
export function scheduleReconciler(deps: ActivityDeps): () => Promise<number> {
  let listAgainAt = 0
  return async () => {
    const started = Date.now()
    if (started < listAgainAt) return 0
    const wanted = new Map((await scheduledIntegrations(deps.db)).map((one) => [one.integrationId, one]))
    const existing = await existingSchedules(deps.temporal)
    const listedFor = Date.now() - started
    let mended = 0
    for (const integrationId of new Set([...wanted.keys(), ...existing.keys()])) {
      if (asWanted(deps, wanted.get(integrationId), existing.get(integrationId))) continue
      if (Date.now() - started > listedFor + MENDING_MS) return mended
      await syncSchedule(deps, integrationId)
      mended++
    }
    listAgainAt = Date.now() + listedFor * LISTING_SHARE
    return mended
  }
}

/** An operator's own pause in the UI stands; only a pause that the row asks for is enforced. */
function asWanted(
  { polling }: ActivityDeps,
  integration: ScheduledIntegration | undefined,
  found: ExistingSchedule | undefined,
): boolean {
  if (!integration || !found) return !integration && !found
  if (found.every !== polling.intervalSeconds * 1000) return false
  const paused = integration.paused || integration.status !== 'SUCCESSFUL'
  return found.paused === paused || found.pausedElsewhere
}

/** Integrations that wait for a verdict have a running check; secrets of rotations that are over are erased. */
export async function reconcileVerifications(deps: ActivityDeps): Promise<number> {
  let mended = await sweepRotations(deps.db)
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
  let triggered = 0
  for (const integrationId of quiet) {
    try {
      // What somebody paused in the Temporal UI is quiet as they wish.
      if (!(await triggerPoll(deps.temporal, integrationId, deps.now(), { unpaused: true }))) continue
      deps.log.warn({ integrationId }, 'polls went quiet, one was triggered')
    } catch {
      await enqueue(deps.db, { kind: 'sync_schedule', payload: { integrationId } })
    }
    triggered++
  }
  return triggered
}

/** Moves what time alone decides. */
export async function sweepDeadlines(deps: ActivityDeps): Promise<number> {
  const now = deps.now()
  const overdue = await closeOverdue(deps.db, now, SLICE * 5)
  return overdue + (await closeDataWindows(deps.db, now, SLICE * 5))
}

/** One step of the sweeps that delete what is past its period, see docs/operating.md. @returns rows deleted */
export async function expireRows(deps: ActivityDeps): Promise<number> {
  const inboxes = sources().flatMap((source) =>
    SECRET_TYPES.filter((secretType) => deps.adapterFor(source, secretType)?.capabilities.listing === 'inbox').map(
      (secretType) => ({ source, secretType }),
    ),
  )
  return expire(deps.db, inboxes, SLICE * 5)
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
