import { type Client, WorkflowNotFoundError } from '@temporalio/client'
import type { CommandAtWork } from '../db/commands/commands.ts'
import { scrub } from '../process/log.ts'
import { workflowIdOf } from '../workflows/starters/command.ts'
import type { TemporalAddress } from '../workflows/starters/temporal.ts'
import { connectLazily } from '../workflows/starters/temporal.ts'

/** What Temporal knows of a job that has not ended. Null: not known, or nothing to be told. */
export interface JobRun {
  /** State of its run at Temporal, `none`, or that Temporal does not answer. */
  run: string
  /** The step that is under way or waits for its next attempt. */
  step: string | null
  /** Attempts at that step so far, the one that is under way included. */
  attempts: number | null
  /** Of the last attempt that failed: the worker's own sentence about it, without any text of the PSP. */
  lastError: string | null
  /** As in `psp_requests_total`, for example unavailable. */
  lastErrorKind: string | null
  lastAttemptAt: Date | null
  nextAttemptAt: Date | null
}

const NOTHING = {
  ...{ step: null, attempts: null, lastError: null, lastErrorKind: null, lastAttemptAt: null, nextAttemptAt: null },
}
const ANSWER_WITHIN_MS = 3_000
/** PENDING_ACTIVITY_STATE_STARTED. */
const STARTED = 2

/** Asks Temporal for the run behind a command. Never throws: the row is shown without it. */
export async function jobRun(at: TemporalAddress, command: CommandAtWork): Promise<JobRun> {
  const temporal = connectLazily(at.address, at.namespace, at.security)
  try {
    const { status, memo, raw } = await temporal.withDeadline(Date.now() + ANSWER_WITHIN_MS, () =>
      temporal.workflow.getHandle(workflowIdOf(command)).describe(),
    )
    if (memo?.commandId !== command.commandId) return { run: 'none', ...NOTHING }
    const [pending] = raw.pendingActivities ?? []
    return { run: status.name, ...NOTHING, ...(pending && attemptsOf(pending)) }
  } catch (error) {
    return { run: error instanceof WorkflowNotFoundError ? 'none' : 'Temporal does not answer', ...NOTHING }
  } finally {
    await temporal.connection.close()
  }
}

type Description = Awaited<ReturnType<ReturnType<Client['workflow']['getHandle']>['describe']>>
type PendingActivity = NonNullable<Description['raw']['pendingActivities']>[number]

function attemptsOf(pending: PendingActivity): Omit<JobRun, 'run'> {
  const { state, attempt, lastFailure } = pending
  const waits = state !== STARTED && lastFailure != null
  return {
    step: pending.activityType?.name ?? null,
    // While it waits Temporal counts the attempt that comes.
    attempts: (attempt ?? 1) - (waits ? 1 : 0),
    lastError: lastFailure ? scrub(lastFailure.message ?? '') : null,
    lastErrorKind: lastFailure?.applicationFailureInfo?.type ?? null,
    lastAttemptAt: dateOf(pending.lastAttemptCompleteTime) ?? dateOf(pending.lastStartedTime),
    nextAttemptAt: waits ? dateOf(pending.nextAttemptScheduleTime) : null,
  }
}

const dateOf = (time: PendingActivity['lastStartedTime']): Date | null =>
  time ? new Date(Number(time.seconds ?? 0) * 1000 + (time.nanos ?? 0) / 1e6) : null
