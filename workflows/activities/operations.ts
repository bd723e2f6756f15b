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

/** Rows per step and run; the next run follows within seconds. */
const SLICE = 100
/** Time per run for creating and correcting schedules. */
const MENDING_MS = 20_000
/** Listing thousands of schedules takes seconds: this process spends at most a twentieth of its time on it. */
const LISTING_SHARE = 20

/** Dispatches outbox rows that no relay has claimed. */
export async function drainOutbox(deps: ActivityDeps): Promise<number> {
  return dispatchDue(deps, SLICE)
}

/**
 * Reconciles schedules: one per verified integration, paused as its row says, and none for others. It takes only a part
 * of a run's time, because commands wait for it; the next run continues.
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
      if (desiredState(deps, wanted.get(integrationId), existing.get(integrationId))) continue
      if (Date.now() - started > listedFor + MENDING_MS) return mended
      await syncSchedule(deps, integrationId)
      mended++
    }
    listAgainAt = Date.now() + listedFor * LISTING_SHARE
    return mended
  }
}

/** A pause that an operator set in the UI stays; only a pause in the row is enforced. */
function desiredState(
  { polling }: ActivityDeps,
  integration: ScheduledIntegration | undefined,
  found: ExistingSchedule | undefined,
): boolean {
  if (!integration || !found) return !integration && !found
  if (found.every !== polling.intervalSeconds * 1000) return false
  const paused = integration.paused || integration.status !== 'SUCCESSFUL'
  return found.paused === paused || found.pausedElsewhere
}

/** Starts missing checks of unverified integrations, and erases secrets of closed rotations. */
export async function reconcileVerifications(deps: ActivityDeps): Promise<number> {
  let mended = await sweepRotations(deps.db)
  for (const integrationId of await unverifiedIntegrations(deps.db, SLICE)) {
    if ((await runState(deps, verificationWorkflowId(integrationId))) === 'RUNNING') continue
    await enqueue(deps.db, { kind: 'verify_integration', payload: { integrationId } })
    mended++
  }
  return mended
}

/** A schedule can stop firing silently: triggers overdue polls. */
export async function triggerQuietPolls(deps: ActivityDeps): Promise<number> {
  const quiet = await quietIntegrations(deps.db, deps.polling.intervalSeconds * 3 + 30, SLICE)
  let triggered = 0
  for (const integrationId of quiet) {
    try {
      // A schedule that was paused in the Temporal UI stays paused.
      if (!(await triggerPoll(deps.temporal, integrationId, deps.now(), { unpaused: true }))) continue
      deps.log.warn({ integrationId }, 'overdue poll triggered')
    } catch {
      await enqueue(deps.db, { kind: 'sync_schedule', payload: { integrationId } })
    }
    triggered++
  }
  return triggered
}

/** Applies decisions that depend on time alone. */
export async function sweepDeadlines(deps: ActivityDeps): Promise<number> {
  const now = deps.now()
  const overdue = await closeOverdue(deps.db, now, SLICE * 5)
  return overdue + (await closeDataWindows(deps.db, now, SLICE * 5))
}

/** One step of the sweeps that delete expired rows, see docs/operating.md. @returns rows deleted */
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

/** State of the workflow run with an id. */
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
