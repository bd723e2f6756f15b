import { FAILING_AFTER, nextAttemptSeconds, probeSeconds, retryAfterSeconds } from './retries.ts'

/** What came of a request: the status of its response, or why there was none. */
export type Posted = { status: number; retryAfter?: string | undefined } | { kind: string }

export const GONE = 410
/** The receiver asks for fewer requests, or something in front of it can't reach it. */
const SLOW_DOWN = [429, 502, 503, 504]
const LONGEST_PAUSE_SECONDS = 3_600
const DISABLED_AFTER_MS = 5 * 24 * 3600 * 1000

/** 2xx and nothing else: a redirect is not followed. */
export const isSuccess = (posted: Posted): boolean => 'status' in posted && posted.status >= 200 && posted.status < 300
const isUnreachable = (posted: Posted) => 'kind' in posted
const asksForFewer = (posted: Posted) => 'status' in posted && SLOW_DOWN.includes(posted.status)
export const isGone = (posted: Posted): boolean => 'status' in posted && posted.status === GONE

/** Whether nothing more is sent to the endpoint in this turn. */
export const endsTurn = (posted: Posted): boolean => isUnreachable(posted) || asksForFewer(posted) || isGone(posted)

/** Seconds that a response asks for; null when it asks for nothing. */
const askedFor = (posted: Posted, now: Date) =>
  'status' in posted && !isSuccess(posted) ? retryAfterSeconds(posted.retryAfter, now) : null

/** What follows for a delivery. @param attempts made before this one; a test has one attempt only */
export function deliveryAfter(
  posted: Posted,
  { attempts, isTest }: { attempts: number; isTest: boolean },
  now: Date,
  random?: () => number,
): { state: 'delivered' | 'failed' | 'pending'; nextSeconds: number } {
  if (isSuccess(posted)) return { state: 'delivered', nextSeconds: 0 }
  const next = isTest ? null : nextAttemptSeconds(attempts + 1, askedFor(posted, now), random)
  return next === null ? { state: 'failed', nextSeconds: 0 } : { state: 'pending', nextSeconds: next }
}

/** What a turn means for its endpoint. */
export interface EndpointAfter {
  /** Attempts in a row without a 2xx. */
  failures: number
  succeeded: boolean
  lastFailure: { status?: number; kind?: string } | null
  /** Until anything is sent again; 0: at once. */
  pauseSeconds: number
  disabled: 'gone' | 'unreachable' | null
}

/**
 * @param posted of one turn, in the order of their ends
 * @param before failures before the turn, and the time of the first of them
 */
export function endpointAfter(
  posted: readonly Posted[],
  before: { failures: number; failingSince: Date | null },
  now: Date,
  random?: () => number,
): EndpointAfter {
  const wasFailing = before.failures >= FAILING_AFTER
  let failures = before.failures
  for (const one of posted) {
    if (isSuccess(one)) failures = 0
    // A receiver that can't be reached is failing at once; a turn makes no endpoint more than that.
    else if (wasFailing) failures += 1
    else failures = isUnreachable(one) ? FAILING_AFTER : Math.min(failures + 1, FAILING_AFTER)
  }
  const succeeded = posted.some(isSuccess)
  const failed = posted.findLast((one) => !isSuccess(one))
  const probe = failures >= FAILING_AFTER ? probeSeconds(failures - FAILING_AFTER + 1, random) : 0
  const asked = posted
    .filter(asksForFewer)
    .map((one) => Math.min(Math.max(askedFor(one, now) ?? 0, probeSeconds(1, random)), LONGEST_PAUSE_SECONDS))
  const isOverdue =
    !succeeded &&
    failed !== undefined &&
    before.failingSince !== null &&
    now.getTime() - before.failingSince.getTime() >= DISABLED_AFTER_MS
  return {
    failures,
    succeeded,
    lastFailure: failed === undefined ? null : 'status' in failed ? { status: failed.status } : { kind: failed.kind },
    pauseSeconds: posted.length === 0 ? 0 : Math.max(probe, ...asked),
    disabled: posted.some(isGone) ? 'gone' : isOverdue ? 'unreachable' : null,
  }
}
