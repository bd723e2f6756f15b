import { PspError, type PspErrorKind } from '../errors.ts'
import { neverConnected, unreachableSentence } from '../shared/connection.ts'
import { type CapturedResponse, retryAfterMs } from '../shared/http.ts'
import { asRecord } from '../shared/raw-json.ts'

export type Call = 'read' | 'write'

/** Adyen's code for "a request with this idempotency key is still in progress". */
const IN_PROGRESS = '704'

/**
 * The meaning of a response other than 2xx, by its HTTP status, because the `status` in the body may differ. No text of
 * Adyen's gets into the result.
 */
export function refusalOf(answer: CapturedResponse, call: Call, now: Date): PspError {
  const { status, headers } = answer
  const requestId = headers.get('pspreference') ?? undefined
  const fail = (kind: PspErrorKind, message: string) => new PspError(kind, message, { requestId })
  if (status === 401) {
    return fail(
      'auth_failed',
      'Adyen refused the API key: it is wrong, switched off, or belongs to the other environment (test or live).',
    )
  }
  if (status === 403) {
    return fail(
      'permission_missing',
      'The Adyen API key may not manage disputes of this merchant account. Give it the role "API dispute management".',
    )
  }
  if (status === 429) {
    return new PspError('rate_limited', 'Adyen asks for fewer requests. It is asked again later.', {
      requestId,
      retryAfterMs: retryAfterMs(headers.get('retry-after'), now) ?? 1000 + Math.round(Math.random() * 1000),
    })
  }
  const running = (status === 409 || status === 422) && errorCodeOf(answer.text) === IN_PROGRESS
  if (running || status >= 500 || status < 400 || status === 408) return noResponse(call, requestId)
  return fail('invalid_request', `Adyen refused the request as invalid, with status ${status}.`)
}

function errorCodeOf(text: string): string | null {
  try {
    const code = asRecord(JSON.parse(text))?.errorCode
    return typeof code === 'string' ? code : null
  } catch {
    return null
  }
}

/** No response that says whether the request was applied. */
export function noResponse(call: Call, requestId?: string): PspError {
  return call === 'read'
    ? new PspError('unavailable', 'Adyen could not answer. It is asked again later.', { requestId })
    : new PspError('outcome_unknown', 'Adyen did not say whether it applied the request. Its notifications tell.', {
        requestId,
      })
}

/** The meaning of a call that ended without a response. */
export function connectionError(error: unknown, call: Call): PspError {
  if (error instanceof PspError) return error
  if (call === 'write' && !neverConnected(error)) return noResponse(call)
  return new PspError('unavailable', unreachableSentence('Adyen', error))
}
