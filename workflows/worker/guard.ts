import { ApplicationFailure, CancelledFailure, CompleteAsyncError } from '@temporalio/activity'
import type { ActivityInterceptorsFactory } from '@temporalio/worker'
import type { Log } from '../activities/deps.ts'
import { ExpectedWait, toFailure } from '../activities/failures.ts'

/** The last thing an activity's error passes: nothing but our own failures goes on to Temporal. The log keeps the place. */
export function guardFailures(log: Log): ActivityInterceptorsFactory {
  return (context) => ({
    inbound: {
      async execute(input, next) {
        try {
          return await next(input)
        } catch (error) {
          const { activityType, attempt } = context.info
          if (error instanceof ExpectedWait)
            log.info({ reason: error.message, activityType, attempt }, 'activity waits')
          else if (!isOurs(error)) log.warn({ error, activityType, attempt }, 'activity failed')
          throw toFailure(error)
        }
      },
    },
  })
}

const isOurs = (error: unknown) =>
  error instanceof ApplicationFailure || error instanceof CancelledFailure || error instanceof CompleteAsyncError
