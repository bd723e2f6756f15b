import { CancelledFailure, CompleteAsyncError } from '@temporalio/activity'
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common'
import { DEFINITE_KINDS, PspError } from '../../adapters/errors.ts'
import { LeaseLost } from '../../db/polling/lease.ts'
import { FileKilled, NoSlot } from '../../files/refusals.ts'

const definite = new Set<string>(DEFINITE_KINDS)
/** A longer Retry-After is taken for an error of the PSP; the next attempt reads it again. */
const LONGEST_WAIT_MS = 15 * 60 * 1000

/** Pause before an account with many files requests a file process again. */
const SLOT_WAIT_MS = 2_000

/**
 * The PSP accepted a write and shows its effect later: retried like a failure, but neither counted nor logged as one.
 */
export class ExpectedWait extends PspError {
  constructor() {
    super('outcome_unknown', 'The PSP took it and reports the effect later; each attempt reads whether it has.')
  }
}

/**
 * The only way an error leaves an activity: a new failure with a fixed sentence and a kind. Messages, stacks and causes
 * of libraries contain addresses, headers and keys, and Temporal shows them to everybody with access.
 */
export function toFailure(error: unknown): Error {
  if (error instanceof CancelledFailure || error instanceof CompleteAsyncError) return error
  if (error instanceof ApplicationFailure) return fresh(error)
  if (error instanceof PspError) {
    if (error instanceof ExpectedWait) {
      const { kind: type, message } = error
      return fresh(ApplicationFailure.create({ type, message, category: ApplicationFailureCategory.BENIGN }))
    }
    if (definite.has(error.kind)) return fresh(ApplicationFailure.nonRetryable(error.message, error.kind))
    if (error.kind === 'rate_limited')
      return fresh(
        ApplicationFailure.create({
          type: error.kind,
          message: 'the PSP limits our rate; the next attempt waits as it asked',
          nextRetryDelay: Math.min(error.retryAfterMs ?? 2_000, LONGEST_WAIT_MS),
          category: ApplicationFailureCategory.BENIGN,
        }),
      )
    return fresh(ApplicationFailure.retryable(error.message, error.kind))
  }
  if (error instanceof FileKilled)
    return fresh(ApplicationFailure.retryable('the file could not be read in time; it is tried again', 'file_killed'))
  if (error instanceof NoSlot)
    return fresh(
      ApplicationFailure.create({
        type: 'no_slot',
        message: 'files of this account are being read; the next attempt waits',
        nextRetryDelay: SLOT_WAIT_MS,
        category: ApplicationFailureCategory.BENIGN,
      }),
    )
  if (error instanceof LeaseLost) return fresh(ApplicationFailure.nonRetryable(error.message, 'lease_lost'))
  if (isDatabaseError(error))
    return fresh(ApplicationFailure.retryable('the database did not answer as it should', 'database'))
  return fresh(
    ApplicationFailure.retryable('an unexpected error; the log line of this attempt has its place', 'internal'),
  )
}

/** Stacks name files and lines of this installation and do not help an operator. */
function fresh(failure: ApplicationFailure): ApplicationFailure {
  failure.stack = `${failure.name}: ${failure.message}`
  return failure
}

/** SQLSTATE of a Postgres error, or null. */
export function sqlState(error: unknown): string | null {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : null
}

/** Postgres rejected the data (classes 22 and 23): the object is at fault, and a retry can't help. */
export const refusedAsData = (error: unknown): boolean => /^2[23]/.test(sqlState(error) ?? '')

/** An error of Postgres or the connection to it, not of the data. */
export const isDatabaseError = (error: unknown) =>
  sqlState(error) !== null || /ECONN|timeout|terminat/i.test((error as Error | null)?.message ?? '')
