import { ApplicationFailure, CancelledFailure, CompleteAsyncError } from '@temporalio/activity'
import type { ActivityInterceptorsFactory } from '@temporalio/worker'
import type { CommandsFirst } from '../activities/commands-first.ts'
import type { Log } from '../activities/deps.ts'
import { ExpectedWait, toFailure } from '../activities/failures.ts'

/** Filters the errors of activities: only Recoup's own failures reach Temporal. The log keeps the stack. */
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

/** Reports the start and the end of each activity of a command, so that pages of polls wait for it. */
export function reportSteps({ step }: Pick<CommandsFirst, 'step'>): ActivityInterceptorsFactory {
  return () => ({
    inbound: {
      async execute(input, next) {
        step()
        return next(input).finally(step)
      },
    },
  })
}

const isOurs = (error: unknown) =>
  error instanceof ApplicationFailure || error instanceof CancelledFailure || error instanceof CompleteAsyncError
