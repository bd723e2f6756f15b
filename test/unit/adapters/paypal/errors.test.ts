import { describe, expect, test } from 'vitest'
import { PspError } from '../../../../adapters/errors.ts'
import { connectionError, toPspError } from '../../../../adapters/paypal/errors.ts'
import { FINAL_ISSUES, ISSUES } from '../../../../adapters/paypal/issues.ts'
import { errorOf, ID, json, NOW, stubbed } from './paypal.ts'

const body = (name: string, issue?: string) =>
  JSON.stringify({ name, message: 'PayPal says Jenny', debug_id: 'd1', ...(issue && { details: [{ issue }] }) })

function kindOf(call: 'read' | 'write' | 'token', status: number, text: string, retryAfter: string | null = null) {
  return toPspError(call, { status, text, requestId: 'd1', retryAfter, now: NOW })
}

describe('an error response of PayPal', () => {
  test.each([
    [401, 'AUTHORIZATION_ERROR', 'auth_failed', 'auth_failed'],
    [401, 'AUTHENTICATION_FAILURE', 'auth_failed', 'auth_failed'],
    [403, 'NOT_AUTHORIZED', 'permission_missing', 'permission_missing'],
    [403, 'PERMISSION_DENIED', 'permission_missing', 'permission_missing'],
    [403, 'FORBIDDEN', 'permission_missing', 'permission_missing'],
    [400, 'INVALID_RESOURCE_ID', 'not_found', 'not_found'],
    [400, 'RESOURCE_NOT_FOUND', 'not_found', 'not_found'],
    [400, 'RESOURCE_NOT_FOUND_ERROR', 'not_found', 'not_found'],
    [404, 'INVALID_RESOURCE_ID', 'not_found', 'not_found'],
    [404, 'RESOURCE_NOT_FOUND', 'not_found', 'not_found'],
    [400, 'VALIDATION_ERROR', 'invalid_request', 'invalid_request'],
    [400, 'INVALID_REQUEST', 'invalid_request', 'invalid_request'],
    [406, 'NOT_ACCEPTABLE', 'invalid_request', 'invalid_request'],
    [415, 'UNSUPPORTED_MEDIA_TYPE', 'invalid_request', 'invalid_request'],
    [408, 'REQUEST_TIMEOUT', 'unavailable', 'outcome_unknown'],
    [425, 'TOO_EARLY', 'unavailable', 'outcome_unknown'],
    [409, 'RESOURCE_CONFLICT', 'unavailable', 'outcome_unknown'],
    [422, 'UNPROCESSABLE_ENTITY', 'invalid_request', 'rejected_final'],
    [429, 'RATE_LIMIT_REACHED', 'rate_limited', 'rate_limited'],
    [500, 'INTERNAL_SERVICE_ERROR', 'unavailable', 'outcome_unknown'],
    [500, 'UNKNOWN_ERROR', 'unavailable', 'outcome_unknown'],
    [503, 'SERVICE_UNAVAILABLE', 'unavailable', 'outcome_unknown'],
    [302, 'A_REDIRECT', 'unavailable', 'outcome_unknown'],
  ])('%i %s is %s for a read and %s for a write', (status, name, read, write) => {
    expect(kindOf('read', status, body(name)).kind).toBe(read)
    expect(kindOf('write', status, body(name)).kind).toBe(write)
  })

  test('the documented issues are known: final ones and invalid requests', () => {
    const invalid = `AMOUNT_SHOULD_NOT_BE_PASSED INTANGIBLE_ITEM_CANNOT_BE_RETURNED MISSING_RETURN_SHIPPING_ADDRESS
      INVALID_RETURN_SHIPPING_ADDRESS_FORMAT SHIPPING_ADDRESS_SHOULD_NOT_BE_PASSED
      FUNDING_INSTRUMENT_PREFERENCE_NOT_ALLOWED PROVISIONAL_CREDIT_PREFERENCE_NOT_ALLOWED
      REFUND_PREFERENCE_MUTUALLY_EXCLUSIVE INVALID_EVIDENCE_FILE INVALID_EVIDENCE_TYPE_PROOF_OF_FULFILLMENT
      MISSING_EVIDENCE_INFO MISSING_EVIDENCE_TYPE MISSING_REFUND_ID MISSING_TRACKING_INFO
      ITEM_ID_IS_MANDATORY_FOR_MULTIPLE_EVIDENCES DATE_CAN_NOT_BE_IN_FUTURE INVALID_PAGE_SIZE
      INVALID_START_TIME_FORMAT INVALID_START_TIME_RANGE`
    expect([...ISSUES.keys()].sort()).toEqual(invalid.split(/\s+/).sort())
    expect([...FINAL_ISSUES.keys()]).toEqual(['INSUFFICIENT_FUNDS', 'REFUND_DECLINED_BY_COMPLIANCE_SCANNING'])
  })

  test.each([...FINAL_ISSUES])('the issue %s is final, and says what to do', (issue, sentence) => {
    const error = kindOf('write', 400, body('VALIDATION_ERROR', issue))
    expect([error.kind, error.message]).toEqual(['rejected_final', sentence])
  })

  test.each([...ISSUES])('the issue %s is an invalid request with its own message', (issue, sentence) => {
    const error = kindOf('write', 400, body('VALIDATION_ERROR', issue))
    expect([error.kind, error.message]).toEqual(['invalid_request', sentence])
  })

  test('the status decides if name and status disagree', () =>
    expect(kindOf('read', 403, body('INTERNAL_SERVICE_ERROR')).kind).toBe('permission_missing'))

  test('if the token request fails, nothing was sent to the API, so no outcome is unknown', () => {
    expect(kindOf('token', 401, '{"error":"invalid_client"}').kind).toBe('auth_failed')
    expect(kindOf('token', 503, 'down').kind).toBe('unavailable')
    expect(kindOf('token', 429, '').kind).toBe('rate_limited')
  })

  test('the error for a refused client id mentions the other environment', () =>
    expect(kindOf('token', 401, '{"error":"invalid_client"}').message).toContain('of the other environment'))

  test('a 429 is retried after its retry-after, else after 30 s', () => {
    expect(kindOf('read', 429, '', '7').retryAfterMs).toBe(7000)
    expect(kindOf('read', 429, '').retryAfterMs).toBe(30_000)
  })

  test('the error contains PayPal’s debug id but no text of PayPal’s', () => {
    const error = kindOf('write', 400, body('VALIDATION_ERROR', 'A NEW ISSUE OF Jenny'))
    expect(error.message).not.toContain('Jenny')
    expect(error.requestId).toBe('d1')
  })
})

describe('a failed connection', () => {
  const failed = (code: string) => Object.assign(new TypeError('fetch failed'), { cause: { code } })
  test.each(['ECONNREFUSED', 'ENOTFOUND', 'ERR_NOT_CONNECTED', 'ERR_SSL_WRONG_VERSION_NUMBER', 'CERT_HAS_EXPIRED'])(
    'with %s was never established, so not even a write was applied',
    (code) => expect(connectionError(failed(code), 'write').kind).toBe('unavailable'),
  )
  test.each(['UND_ERR_SOCKET', 'ECONNRESET', 'UND_ERR_BODY_TIMEOUT'])(
    'with %s leaves the outcome of a write unknown',
    (code) => {
      expect(connectionError(failed(code), 'write').kind).toBe('outcome_unknown')
      expect(connectionError(failed(code), 'read').kind).toBe('unavailable')
    },
  )
  test('by a timeout leaves the outcome of a write unknown', () =>
    expect(connectionError(new DOMException('late', 'TimeoutError'), 'write').kind).toBe('outcome_unknown'))
  test('by an error of the engine’s fetch keeps that error, also if fetch wraps it', () => {
    const refusal = new PspError('rate_limited', 'our own limit', { retryAfterMs: 5 })
    expect(connectionError(refusal, 'write')).toBe(refusal)
    expect(connectionError(new TypeError('fetch failed', { cause: refusal }), 'write')).toBe(refusal)
  })
})

describe('a balance that is too low to accept', () => {
  test('is rejected_final, and the message says what to do', async () => {
    const { adapter } = stubbed(({ method, path }) => {
      if (path === `/v1/customer/disputes/${ID}`)
        return json({ dispute_id: ID, status: 'OPEN', links: [{ rel: 'accept-claim', href: 'x', method: 'POST' }] })
      if (method === 'POST' && path.endsWith('/accept-claim'))
        return json(body('VALIDATION_ERROR', 'INSUFFICIENT_FUNDS'), 400)
      return undefined
    })
    const error = await errorOf(adapter.acceptDispute({ reference: ID, idempotencyKey: 'k' }))
    expect(error.kind).toBe('rejected_final')
    expect(error.message).toContain('Top it up')
  })
})
