import { ApplicationFailure, CancelledFailure, CompleteAsyncError } from '@temporalio/activity'
import type { ActivityInterceptorsFactory } from '@temporalio/worker'
import { toFailure } from './activities/failures.ts'

/** The last thing an activity's error passes: nothing but our own failures goes on to Temporal. The log keeps the place. */
export function guardFailures(log: { warn(fields: object, message: string): void }): ActivityInterceptorsFactory {
  return (context) => ({
    inbound: {
      async execute(input, next) {
        try {
          return await next(input)
        } catch (error) {
          if (
            !(
              error instanceof ApplicationFailure ||
              error instanceof CancelledFailure ||
              error instanceof CompleteAsyncError
            )
          )
            log.warn(
              { error, activityType: context.info.activityType, attempt: context.info.attempt },
              'activity failed',
            )
          throw toFailure(error)
        }
      },
    },
  })
}
