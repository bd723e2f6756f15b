import { ActivityFailure, ApplicationFailure, RetryState } from '@temporalio/common'

/**
 * A definite refusal, or null when the outcome is unknown. Only a non-retryable failure raised by the activity itself
 * is definite: a time-out, a cancellation or a terminated worker says nothing about the PSP.
 */
export function definiteFailure(error: unknown): { kind: string; message: string } | null {
  if (!(error instanceof ActivityFailure) || error.retryState !== RetryState.NON_RETRYABLE_FAILURE) return null
  const { cause } = error
  if (!(cause instanceof ApplicationFailure)) return null
  return { kind: cause.type ?? 'rejected_final', message: cause.message }
}

/** Fails a workflow without a stack, whose paths mean nothing to readers of a history. */
export function ended(kind: string, message: string): ApplicationFailure {
  const failure = ApplicationFailure.nonRetryable(message, kind)
  failure.stack = `${failure.name}: ${message}`
  return failure
}
