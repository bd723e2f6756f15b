import { type WorkflowExecutionStatusName, WorkflowNotFoundError } from '@temporalio/client'
import { sources } from '../../adapters/registry.ts'
import { foldSums } from '../../db/analytics/fold-sums.ts'
import { closeDataWindows, closeOverdue, remindOfDueDates } from '../../db/commands/deadline-sweeps.ts'
import { enqueue } from '../../db/core/outbox.ts'
import { expireEvents } from '../../db/events/retention.ts'
import { unverifiedIntegrations } from '../../db/integrations/connections.ts'
import { sweepRotations } from '../../db/integrations/secret-rotations.ts'
import { expireRows as expire } from '../../db/retention/retention.ts'
import { EVENT_DAYS } from '../../domain/events/catalogue.ts'
import { SECRET_TYPES } from '../../domain/integration.ts'
import { verificationWorkflowId } from '../contract.ts'
import { dispatchDue } from '../starters/dispatch.ts'
import type { ActivityDeps } from './deps.ts'

/** Rows per step and run; the next run follows within seconds. */
const SLICE = 100
/** Events per step; they are small. */
const EVENTS = 5_000

/** Dispatches outbox rows that no relay has claimed. */
export async function drainOutbox(deps: ActivityDeps): Promise<number> {
  return (await dispatchDue(deps, SLICE)).done
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

/** Applies decisions that depend on time alone. */
export async function sweepDeadlines(deps: ActivityDeps): Promise<number> {
  const now = deps.now()
  const overdue = await closeOverdue(deps.db, now, SLICE * 5)
  const reminded = await remindOfDueDates(deps.db, now, SLICE * 5)
  return overdue + reminded + (await closeDataWindows(deps.db, now, SLICE * 5))
}

/** Sums that one step folds at most; more than polls change between two steps. */
const MOST_SUMS = 100_000

/**
 * One step of the sweeps that delete expired rows, see docs/operating.md, and of what keeps sums small.
 * @returns rows deleted
 */
export async function expireRows(deps: ActivityDeps): Promise<number> {
  const inboxes = sources().flatMap((source) =>
    SECRET_TYPES.filter((secretType) => deps.adapterFor(source, secretType)?.capabilities.listing === 'inbox').map(
      (secretType) => ({ source, secretType }),
    ),
  )
  for (let folded = 0, taken = SLICE * 50; taken === SLICE * 50 && folded < MOST_SUMS; folded += taken)
    taken = await foldSums(deps.db, SLICE * 50)
  const events = await expireEvents(deps.db, { days: deps.eventDays ?? EVENT_DAYS, limit: EVENTS })
  return events + (await expire(deps.db, inboxes, SLICE * 5))
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
