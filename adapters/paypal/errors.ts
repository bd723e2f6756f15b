import { PspError } from '../errors.ts'
import { neverConnected, unreachableSentence } from '../shared/connection.ts'
import { at } from '../shared/facts.ts'
import { retryAfterMs } from '../shared/http.ts'
import { BAD_REQUEST, FINAL_ISSUES, ISSUES } from './issues.ts'

/** Default wait for a 429 without a time; PayPal publishes no limits. */
const WAIT_WITHOUT_RETRY_AFTER_MS = 30_000

/** `token`: the call that creates a token. No request to the API was sent yet. */
export type Call = 'read' | 'write' | 'token'

export interface Refusal {
  status: number
  /** The body as it came. */
  text: string
  /** paypal-debug-id, which PayPal's support requests. */
  requestId: string | null
  retryAfter: string | null
  now: Date
}

/**
 * The meaning of an error response. The status decides first, then `name`, then the issues. Names differ between
 * PayPal's documents and its servers, and texts are not stable, so none gets into the result.
 */
export function toPspError(call: Call, refusal: Refusal): PspError {
  const body = parsed(refusal.text)
  const name = String(at(body, 'name') ?? at(body, 'error') ?? '')
  const fail = (kind: PspError['kind'], message: string) =>
    new PspError(kind, message, { requestId: refusal.requestId ?? undefined })
  switch (refusal.status) {
    case 401:
      return call === 'token'
        ? fail('auth_failed', 'PayPal refused the client id and secret: they are wrong, or of the other environment.')
        : fail('auth_failed', 'PayPal refused a fresh token: the app was revoked. Connect valid credentials.')
    case 403:
      return fail('permission_missing', 'The PayPal app may not handle disputes. Enable its feature Disputes.')
    case 404:
      return fail('not_found', 'PayPal knows no such object in this account. Check that the app belongs to it.')
    case 429:
      return new PspError('rate_limited', 'PayPal asks for fewer requests. It is asked again later.', {
        requestId: refusal.requestId ?? undefined,
        retryAfterMs: retryAfterMs(refusal.retryAfter, refusal.now) ?? WAIT_WITHOUT_RETRY_AFTER_MS,
      })
    case 422:
      return fail(
        call === 'write' ? 'rejected_final' : 'invalid_request',
        'PayPal does not allow this action in the present state of the dispute.',
      )
    case 400:
      return badRequest(name, body, fail)
  }
  // 408, 409 and 425 may hide a request that is still in progress.
  if (refusal.status >= 400 && refusal.status < 500 && ![408, 409, 425].includes(refusal.status)) {
    return fail('invalid_request', `PayPal refused the request with status ${refusal.status}.`)
  }
  return noResponse(call, fail)
}

type Fail = (kind: PspError['kind'], message: string) => PspError

function badRequest(name: string, body: unknown, fail: Fail): PspError {
  if (/^(INVALID_RESOURCE_ID|RESOURCE_NOT_FOUND|RESOURCE_NOT_FOUND_ERROR)$/.test(name)) {
    return fail('not_found', 'PayPal knows no such object in this account. Check that the app belongs to it.')
  }
  const details = at(body, 'details')
  const issues = Array.isArray(details) ? details.map((detail) => String(at(detail, 'issue') ?? '')) : []
  const issue = [...issues, name].find((candidate) => ISSUES.has(candidate) || FINAL_ISSUES.has(candidate)) ?? ''
  const final = FINAL_ISSUES.get(issue)
  if (final !== undefined) return fail('rejected_final', final)
  return fail('invalid_request', ISSUES.get(issue) ?? BAD_REQUEST)
}

/**
 * No response that says whether the request was applied: any 5xx, a garbled body, a conflict with a running request.
 */
export function noResponse(call: Call, fail: Fail = (kind, message) => new PspError(kind, message)): PspError {
  return call === 'write'
    ? fail('outcome_unknown', 'PayPal did not say whether it applied the request. The dispute is read again first.')
    : fail('unavailable', 'PayPal could not answer. It is asked again later.')
}

/** The meaning of an exception of `fetch`. An error of the engine's own fetch passes unchanged. */
export function connectionError(error: unknown, call: Call): PspError {
  if (error instanceof PspError) return error
  const { cause } = (error ?? {}) as { cause?: unknown }
  if (cause instanceof PspError) return cause
  if (call === 'write' && !neverConnected(error)) return noResponse('write')
  return new PspError('unavailable', unreachableSentence('PayPal', error))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
