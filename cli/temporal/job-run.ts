import { type Client, WorkflowNotFoundError } from '@temporalio/client'
import type { CommandAtWork } from '../../db/commands/commands.ts'
import { scrub } from '../../process/log.ts'
import { workflowIdOf } from '../../workflows/starters/command.ts'
import type { TemporalAddress } from '../../workflows/starters/temporal.ts'
import { connectLazily } from '../../workflows/starters/temporal.ts'

/** The state at Temporal of a job that is not completed. Null: unknown or not applicable. */
export interface JobRun {
  /** Status of the workflow run, `none`, or a sentence that Temporal does not respond. */
  run: string
  /** The activity that runs or waits for its next attempt. */
  step: string | null
  /** Attempts of that activity so far, the running one included. */
  attempts: number | null
  /** Message of the last failed attempt: the worker's own words, without any text of the PSP. */
  lastError: string | null
  /** As in `psp_requests_total`, for example unavailable. */
  lastErrorKind: string | null
  lastAttemptAt: Date | null
  nextAttemptAt: Date | null
}

const NOTHING = {
  ...{ step: null, attempts: null, lastError: null, lastErrorKind: null, lastAttemptAt: null, nextAttemptAt: null },
}
const RESPONSE_TIMEOUT_MS = 3_000
/** PENDING_ACTIVITY_STATE_STARTED. */
const STARTED = 2

/** Asks Temporal for the workflow run of a command. Never throws: without it the row is shown alone. */
export async function jobRun(at: TemporalAddress, command: CommandAtWork): Promise<JobRun> {
  const temporal = connectLazily(at.address, at.namespace, at.security)
  try {
    const { status, memo, raw } = await temporal.withDeadline(Date.now() + RESPONSE_TIMEOUT_MS, () =>
      temporal.workflow.getHandle(workflowIdOf(command)).describe(),
    )
    if (memo?.commandId !== command.commandId) return { run: 'none', ...NOTHING }
    const [pending] = raw.pendingActivities ?? []
    return { run: status.name, ...NOTHING, ...(pending && attemptsOf(pending)) }
  } catch (error) {
    return { run: error instanceof WorkflowNotFoundError ? 'none' : 'Temporal does not respond', ...NOTHING }
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
    // While the activity waits, Temporal counts the next attempt already.
    attempts: (attempt ?? 1) - (waits ? 1 : 0),
    lastError: lastFailure ? scrub(lastFailure.message ?? '') : null,
    lastErrorKind: lastFailure?.applicationFailureInfo?.type ?? null,
    lastAttemptAt: dateOf(pending.lastAttemptCompleteTime) ?? dateOf(pending.lastStartedTime),
    nextAttemptAt: waits ? dateOf(pending.nextAttemptScheduleTime) : null,
  }
}

const dateOf = (time: PendingActivity['lastStartedTime']): Date | null =>
  time ? new Date(Number(time.seconds ?? 0) * 1000 + (time.nanos ?? 0) / 1e6) : null
