import type { ErrorAnswerKind, FaultAnswer } from '../engine/contract.ts'
import { tokenOf } from '../engine/draw.ts'

/** An error response of PayPal; `issue` is added to its details. */
export class PayPalRefusal extends Error {
  readonly status: number
  readonly code: string
  readonly issue: string | null
  readonly field: string | null

  constructor(status: number, code: string, issue: string | null = null, field: string | null = null) {
    super(code)
    this.status = status
    this.code = code
    this.issue = issue
    this.field = field
  }
}

const MESSAGES: Readonly<Record<string, string>> = {
  AUTHORIZATION_ERROR: 'Authorization error occurred.',
  NOT_AUTHORIZED: 'Authorization failed due to insufficient permissions.',
  FORBIDDEN: 'Authorization failed due to insufficient permissions.',
  VALIDATION_ERROR: 'Invalid request - see details.',
  INVALID_REQUEST: 'Request is not well-formed, syntactically incorrect, or violates schema.',
  INVALID_RESOURCE_ID: 'The requested resource ID was not found.',
  NOT_ACCEPTABLE: 'The server does not implement the media type that would be acceptable to the client.',
  UNSUPPORTED_MEDIA_TYPE: "The server does not support the request payload's media type.",
  RESOURCE_CONFLICT: 'The server has detected a conflict while processing this request.',
  UNPROCESSABLE_ENTITY: 'The requested action could not be performed, semantically incorrect, or failed validation.',
  RATE_LIMIT_REACHED: 'Too many requests. Blocked due to rate limiting.',
  INTERNAL_SERVICE_ERROR: 'An internal service error has occurred.',
  SERVICE_UNAVAILABLE: 'Service Unavailable.',
}

export const STATUSES: Readonly<Record<string, number>> = {
  FORBIDDEN: 403,
  INVALID_RESOURCE_ID: 404,
  NOT_ACCEPTABLE: 406,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMIT_REACHED: 429,
  SERVICE_UNAVAILABLE: 503,
  INTERNAL_SERVICE_ERROR: 500,
  AUTHORIZATION_ERROR: 401,
  UNPROCESSABLE_ENTITY: 422,
}

/** Body of a refusal; clients need `details` on 400, 404 and 422. */
export function errorBody(refusal: PayPalRefusal, debugId: string): string {
  const { status, code, issue, field } = refusal
  if (status === 401 && code.startsWith('invalid_')) {
    const text = code === 'invalid_client' ? 'Client Authentication failed' : 'The token passed in was not found'
    return JSON.stringify({ error: code, error_description: text })
  }
  const detailed = [400, 404, 422].includes(status)
  const named = issue ?? (status === 422 ? 'ACTION_NOT_ALLOWED_IN_CURRENT_DISPUTE_STATE' : code)
  const detail = { ...(field !== null && { field, location: 'body' }), issue: named, description: `${named}.` }
  return JSON.stringify({
    name: code,
    message: MESSAGES[code] ?? code,
    debug_id: debugId,
    ...(detailed && { details: [detail] }),
  })
}

let answered = 0

export function nextDebugId(): string {
  answered += 1
  return `f${tokenOf(12, 'paypal', 'debug', answered).toLowerCase()}`
}

const KINDS: Readonly<Record<ErrorAnswerKind, [number, string]>> = {
  '401': [401, 'invalid_token'],
  '403': [403, 'NOT_AUTHORIZED'],
  '409': [409, 'RESOURCE_CONFLICT'],
  '429': [429, 'RATE_LIMIT_REACHED'],
  '500': [500, 'INTERNAL_SERVICE_ERROR'],
  '503': [503, 'SERVICE_UNAVAILABLE'],
}

export function errorResponse(kind: ErrorAnswerKind, retryAfter: string | undefined): FaultAnswer {
  const [status, code] = KINDS[kind]
  const debugId = nextDebugId()
  const headers: Record<string, string> = { 'content-type': 'application/json', 'paypal-debug-id': debugId }
  if (retryAfter !== undefined) headers['retry-after'] = retryAfter
  return { status, headers, body: errorBody(new PayPalRefusal(status, code), debugId) }
}

export function invalid(issue: string, field: string | null = null): PayPalRefusal {
  return new PayPalRefusal(400, 'VALIDATION_ERROR', issue, field)
}
