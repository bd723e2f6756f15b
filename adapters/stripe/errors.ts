import { PspError } from '../errors.ts'
import { codeOf, neverConnected, unreachableSentence } from '../shared/connection.ts'
import { retryAfterMs } from '../shared/http.ts'

/** Fields of the SDK's errors that are used; classes are not compared, because CJS and ESM copies differ. */
interface SdkError {
  type?: string
  code?: string
  statusCode?: number
  headers?: Record<string, string>
  requestId?: string
  detail?: unknown
}

/**
 * The one place that interprets errors of the Stripe SDK. `call` is 'write' when Stripe may have acted on the request:
 * `unavailable` for a read is `outcome_unknown` for a write that was sent. No text of Stripe's gets into the result,
 * because its messages repeat keys and parameters.
 */
export function toPspError(error: unknown, call: 'read' | 'write', now: Date): PspError {
  const thrown = error as SdkError | undefined
  if (error instanceof PspError) return error
  if (thrown?.detail instanceof PspError) return thrown.detail
  const headers = thrown?.headers ?? {}
  const details = { requestId: thrown?.requestId, replayed: headers['idempotent-replayed'] === 'true' }
  const fail = (kind: PspError['kind'], message: string) => new PspError(kind, message, details)

  switch (thrown?.type) {
    case 'StripeAuthenticationError':
      return fail('auth_failed', 'Stripe refused the API key: it is wrong, expired or revoked. Connect a valid key.')
    case 'StripePermissionError':
      return fail(
        'permission_missing',
        'The Stripe API key lacks a permission. Grant it Disputes (write), Files (write) and Charges (read).',
      )
    case 'StripeRateLimitError':
      return rateLimited(headers, details, now)
    case 'StripeIdempotencyError':
      return fail('invalid_request', 'Stripe has seen this idempotency key with another request.')
    case 'StripeCardError':
      return fail('invalid_request', 'Stripe answered a dispute request with a card error.')
    case 'StripeInvalidRequestError':
      return invalidRequest(thrown, fail, () => rateLimited(headers, details, now))
    case 'StripeConnectionError':
      return connectionError(thrown, call, fail)
  }
  const status = thrown?.statusCode
  if (status !== undefined && status >= 400 && status < 500 && ![408, 409, 425].includes(status)) {
    return fail('invalid_request', `Stripe refused the request with status ${status}.`)
  }
  return noResponse(call, fail)
}

type Fail = (kind: PspError['kind'], message: string) => PspError

/**
 * No response that says whether the request was applied: any 5xx, a garbled body, a conflict with a running request.
 */
export function noResponse(
  call: 'read' | 'write',
  fail: Fail = (kind, message) => new PspError(kind, message),
): PspError {
  return call === 'read'
    ? fail('unavailable', 'Stripe could not answer. It is asked again later.')
    : fail('outcome_unknown', 'Stripe did not say whether it applied the request. The dispute is read again first.')
}

function invalidRequest(thrown: SdkError, fail: Fail, limited: () => PspError): PspError {
  if (thrown.code === 'rate_limit') return limited()
  // With 400 it is an object that a parameter names: an expired file, a charge of another account.
  if (thrown.statusCode === 404) {
    return fail('not_found', 'Stripe knows no such object in this account. Check that the key belongs to the account.')
  }
  if (thrown.code === 'dispute_evidence_page_limit_exceeded') {
    return fail(
      'invalid_request',
      'The evidence has more pages than the card network takes. Send fewer or shorter files.',
    )
  }
  return fail('invalid_request', 'Stripe refused the request as invalid.')
}

function connectionError(thrown: SdkError, call: 'read' | 'write', fail: Fail): PspError {
  if (codeOf(thrown.detail) === 'ERR_INVALID_CHAR') {
    return fail('config_invalid', 'The Stripe API key contains characters that no key has. Copy it again.')
  }
  if (call === 'write' && !neverConnected(thrown.detail)) return noResponse(call, fail)
  return fail('unavailable', unreachableSentence('Stripe', thrown.detail))
}

/** Without Retry-After: 1 to 2 s, randomised so that callers don't retry together. */
function rateLimited(headers: Record<string, string>, details: { requestId: string | undefined }, now: Date): PspError {
  return new PspError('rate_limited', 'Stripe asks for fewer requests. It is asked again later.', {
    ...details,
    retryAfterMs: retryAfterMs(headers['retry-after'], now) ?? 1000 + Math.round(Math.random() * 1000),
  })
}
