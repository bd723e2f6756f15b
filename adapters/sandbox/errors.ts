import { PspError } from '../errors.ts'
import { neverConnected, unreachableSentence } from '../shared/connection.ts'
import { retryAfterMs } from '../shared/http.ts'

/** The error of a call without a response. A PspError of the engine's own fetch passes unchanged. */
export function thrownError(error: unknown, call: 'read' | 'write'): PspError {
  if (error instanceof PspError) return error
  if (call === 'write' && !neverConnected(error)) return noResponse(call)
  return new PspError('unavailable', unreachableSentence('The sandbox PSP', error))
}

/** The error for a response with this status; none of its text gets into the result. */
export function responseError(
  status: number,
  code: string | null,
  call: 'read' | 'write',
  facts: { requestId: string | undefined; retryAfter: string | null; replayed: boolean; now: Date },
): PspError {
  const { requestId, retryAfter, replayed, now } = facts
  const fail = (kind: PspError['kind'], message: string) => new PspError(kind, message, { requestId, replayed })
  if (status === 401) return refused(requestId)
  if (status === 403) return code === 'account_unreachable' ? unreachable(requestId) : restricted(requestId)
  if (status === 404) return fail('not_found', 'The sandbox PSP knows no such chargeback in this account.')
  if (status === 429) {
    return new PspError('rate_limited', 'The sandbox PSP asks for fewer requests. It is asked again later.', {
      requestId,
      // Without Retry-After: 1 to 2 s, randomised so that callers don't retry together.
      retryAfterMs: retryAfterMs(retryAfter, now) ?? 1000 + Math.round(Math.random() * 1000),
    })
  }
  if (status === 422 && code === 'not_answerable') {
    return fail('rejected_final', 'The sandbox PSP takes no answer to this chargeback any more.')
  }
  if (status >= 400 && status < 500 && status !== 408 && status !== 409) {
    return fail('invalid_request', 'The sandbox PSP refused the request as invalid.')
  }
  return noResponse(call, requestId, replayed)
}

/** No response that says whether the request was applied. */
export function noResponse(call: 'read' | 'write', requestId?: string, replayed = false): PspError {
  return call === 'read'
    ? new PspError('unavailable', 'The sandbox PSP could not answer. It is asked again later.', { requestId, replayed })
    : new PspError('outcome_unknown', 'The sandbox PSP did not say whether it applied the request.', {
        requestId,
        replayed,
      })
}

export function refused(requestId?: string): PspError {
  const message = 'The sandbox refuses credentials that begin with refused_. Connect with any other value.'
  return new PspError('auth_failed', message, { requestId })
}

export function restricted(requestId?: string): PspError {
  const message = 'The sandbox lets credentials that begin with restricted_ read nothing. Connect with any other value.'
  return new PspError('permission_missing', message, { requestId })
}

/** The account does not exist, or the credential belongs to another one. */
export function unreachable(requestId?: string): PspError {
  const message =
    'The sandbox gives this credential no access to the account in externalIdentifier: it belongs to another one, or the account is one that begins with unknown_.'
  return new PspError('permission_missing', message, { requestId })
}
