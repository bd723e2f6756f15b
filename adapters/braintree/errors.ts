import { PspError } from '../errors.ts'
import { neverConnected, TOO_LARGE, unreachableSentence } from '../shared/connection.ts'
import { retryAfterMs } from '../shared/http.ts'
import type { Exchange } from './sdk/transport.ts'

/** A read that exceeded the deadline: a narrower window may succeed. */
export class TooSlow extends PspError {
  constructor() {
    super('unavailable', 'Braintree took too long to answer. It is asked again later.')
  }
}

/** A read with a 5xx response: an outage, or too large a window. */
export class Failed extends PspError {
  constructor() {
    super('unavailable', 'Braintree could not answer. It is asked again later.')
  }
}

/** A read with an unreadable response: broken XML, too large, or an endless list. */
export class Unreadable extends PspError {
  constructor(message = 'Braintree sent what can not be read. It is asked again later.') {
    super('unavailable', message)
  }
}

type Call = 'read' | 'write'

/**
 * The one place that interprets the SDK's errors: plain Errors whose `type` names the class, without status and
 * headers, so these come from `exchange`. `unavailable` for a read is `outcome_unknown` for a write that was sent. No
 * text of Braintree's gets into the result.
 */
export function toPspError(error: unknown, call: Call, exchange: Exchange, now: Date): PspError {
  if (error instanceof PspError) return error
  if (exchange.failure !== undefined) return unsent(exchange, call)
  const { status } = exchange
  switch ((error as { type?: unknown } | null)?.type) {
    case 'authenticationError':
      return new PspError(
        'auth_failed',
        'Braintree refused the key pair: it is wrong, revoked or of the other environment. Connect a valid one.',
      )
    case 'authorizationError':
      return new PspError('permission_missing', call === 'read' ? MAY_NOT_VIEW : MAY_NOT_MANAGE)
    case 'notFoundError':
      return new PspError('not_found', 'Braintree knows no such object at this merchant.')
    case 'invalidKeysError':
      return new PspError('invalid_request', 'The request holds something that Braintree has no field for.')
    case 'upgradeRequired':
      return new PspError('config_invalid', 'Braintree refuses the API version of this release. Update Recoup.')
    case 'tooManyRequestsError':
      return rateLimited(exchange, now)
    case 'requestTimeoutError':
    case 'gatewayTimeoutError':
      return call === 'read' ? new TooSlow() : noResponse(call)
  }
  // 409 and 425 are about timing: the same request may succeed later.
  if (status !== null && status >= 400 && status < 500 && status !== 409 && status !== 425) {
    return new PspError('invalid_request', `Braintree refused the request with status ${status}.`)
  }
  if (call === 'read' && status !== null && status >= 500) return new Failed()
  return call === 'read' && status === 200 && !exchange.blank ? new Unreadable() : noResponse(call)
}

const MAY_NOT_VIEW =
  'The user of this Braintree key may not see disputes. Give it a role with "Manage and contest disputes".'
/** A view-only key passes every check and fails here. */
const MAY_NOT_MANAGE =
  'The user of this Braintree key may see disputes and not answer them. Give it a role with "Manage and contest disputes".'

/** No response that says whether the request was applied: any 5xx, a garbled or empty body, a cut connection. */
export function noResponse(call: Call): PspError {
  return call === 'read'
    ? new PspError('unavailable', 'Braintree could not answer. It is asked again later.')
    : new PspError(
        'outcome_unknown',
        'Braintree did not say whether it applied the request. The dispute is read again first.',
      )
}

function unsent({ failure, timedOut }: Exchange, call: Call): PspError {
  if (failure instanceof PspError) return failure
  if (timedOut && call === 'read') return new TooSlow()
  if (call === 'write' && !neverConnected(failure)) return noResponse(call)
  if ((failure as { code?: unknown } | null)?.code === TOO_LARGE)
    return new Unreadable(unreachableSentence('Braintree', failure))
  return new PspError('unavailable', unreachableSentence('Braintree', failure))
}

/**
 * Braintree documents no wait. A Retry-After is obeyed; the default is 1 to 2 s, randomised so that callers don't retry
 * together.
 */
function rateLimited({ retryAfter }: Exchange, now: Date): PspError {
  return new PspError('rate_limited', 'Braintree asks for fewer requests. It is asked again later.', {
    retryAfterMs: retryAfterMs(retryAfter, now) ?? 1000 + Math.round(Math.random() * 1000),
  })
}
