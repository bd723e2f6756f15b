import { ActivityFailure, ApplicationFailure, RetryState } from '@temporalio/common'

/**
 * A definite refusal, or null when the outcome is unknown. Only a non-retryable failure that the activity itself
 * raised is definite: a passed time-out, a cancellation or a terminated worker say nothing about the PSP.
 */
export function definiteFailure(error: unknown): { kind: string; message: string } | null {
  if (!(error instanceof ActivityFailure) || error.retryState !== RetryState.NON_RETRYABLE_FAILURE) return null
  const { cause } = error
  if (!(cause instanceof ApplicationFailure)) return null
  return { kind: cause.type ?? 'rejected_final', message: cause.message }
}

/** The end of a run as failed, without a stack: its paths mean nothing to those who read histories. */
export function ended(kind: string, message: string): ApplicationFailure {
  const failure = ApplicationFailure.nonRetryable(message, kind)
  failure.stack = `${failure.name}: ${message}`
  return failure
}
