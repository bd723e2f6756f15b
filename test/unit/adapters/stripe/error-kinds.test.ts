import { describe, expect, test, vi } from 'vitest'
import { PspError } from '../../../../adapters/errors.ts'
import type { PspFetch } from '../../../../adapters/shared/psp-fetch.ts'
import { toPspError } from '../../../../adapters/stripe/errors.ts'
import { stripe } from '../../../../adapters/stripe/index.ts'
import { TIMEOUT_MS } from '../../../../adapters/stripe/sdk.ts'
import { connectStripe, sampleDispute } from '../loopback.ts'

const NOW = new Date('2026-11-21T10:00:00Z')
/** Plain objects, because a CJS and an ESM copy of the SDK have different error classes. */
const kinds = (error: object) => [toPspError(error, 'read', NOW).kind, toPspError(error, 'write', NOW).kind]
const connection = (detail?: object) => ({ type: 'StripeConnectionError', detail })
const refused = (statusCode: number, code?: string) => ({ type: 'StripeInvalidRequestError', statusCode, code })

describe('a failed connection', () => {
  test.each([
    'ECONNREFUSED',
    'ENOTFOUND',
    'EAI_AGAIN',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ERR_NOT_CONNECTED',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'CERT_HAS_EXPIRED',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  ])('%s: a write was certainly not applied, wherever the error has the code', (code) => {
    expect(kinds(connection({ code }))).toEqual(['unavailable', 'unavailable'])
    expect(kinds(connection({ cause: { code } }))).toEqual(['unavailable', 'unavailable'])
  })

  test.each([
    'ECONNRESET',
    'EPIPE',
    'EPROTO',
    'ETIMEDOUT',
    'UND_ERR_SOCKET',
    'UND_ERR_HEADERS_TIMEOUT',
    'E_NEW_ONE',
    undefined,
  ])('%s: a write may have been applied', (code) => {
    expect(kinds(connection({ code }))).toEqual(['unavailable', 'outcome_unknown'])
    expect(kinds(connection({ cause: { code } }))).toEqual(['unavailable', 'outcome_unknown'])
    expect(kinds(connection())).toEqual(['unavailable', 'outcome_unknown'])
  })

  test('a character that is invalid in a key is a configuration error, not a network error', () =>
    expect(kinds(connection({ cause: { code: 'ERR_INVALID_CHAR' } }))).toEqual(['config_invalid', 'config_invalid']))
})

describe('a refusal', () => {
  test.each([
    ['too many evidence pages', refused(400, 'dispute_evidence_page_limit_exceeded'), 'invalid_request'],
    ['Smart Disputes not available', refused(400, 'smart_disputes_not_available'), 'invalid_request'],
    ['a parameter that names a missing object', refused(400, 'resource_missing'), 'invalid_request'],
    ['the object itself is missing', refused(404, 'resource_missing'), 'not_found'],
    ['too many requests as 400', refused(400, 'rate_limit'), 'rate_limited'],
  ])('%s: %s', (_, error, kind) => expect(kinds(error)).toEqual([kind, kind]))

  test('too many pages for the card network: the message says what to do', () => {
    const { message } = toPspError(refused(400, 'dispute_evidence_page_limit_exceeded'), 'write', NOW)
    expect(message).toMatch(/more pages than the card network takes.*fewer or shorter files/)
  })

  test('a garbled response, which has no status, counts as a missing response', () =>
    expect(kinds({ type: 'StripeAPIError', message: 'Invalid JSON received from the Stripe API' })).toEqual([
      'unavailable',
      'outcome_unknown',
    ]))

  test('every kind of error has the request id', () => {
    for (const error of [refused(400), refused(404), { type: 'StripeRateLimitError' }, { type: 'StripeAPIError' }]) {
      expect(toPspError({ ...error, requestId: 'req_7' }, 'write', NOW).requestId).toBe('req_7')
    }
  })
})

describe('the deadline of a call', () => {
  /** Sends headers at once but never ends the body, or never responds. */
  const silent =
    (headers: boolean): PspFetch =>
    (_, init) =>
      new Promise((resolve, reject) => {
        const late = (end: (reason: Error) => void) =>
          setTimeout(() => end(new DOMException('late', 'TimeoutError')), init?.timeoutMs)
        if (!headers) return late(reject)
        const body = new ReadableStream({ start: (controller) => void late((reason) => controller.error(reason)) })
        resolve(new Response(body, { status: 200 }))
      })

  test.each([
    ['a response that never comes', false],
    ['a body that never ends', true],
  ])('%s times out after 25 s, body included', async (_, headers) => {
    vi.useFakeTimers()
    try {
      const read = connectStripe('http://127.0.0.1:9', { fetch: silent(headers) }).fetchDispute('dp_1')
      const ended = vi.fn()
      const failure = read.catch((error: unknown) => {
        ended()
        return error
      })
      await vi.advanceTimersByTimeAsync(TIMEOUT_MS - 1)
      expect(ended).not.toHaveBeenCalled()
      await vi.advanceTimersByTimeAsync(1)
      const error = await failure
      expect(error).toBeInstanceOf(PspError)
      expect((error as PspError).kind).toBe('unavailable')
    } finally {
      vi.useRealTimers()
    }
  })

  test('a write without a response may have been applied', async () => {
    vi.useFakeTimers()
    try {
      const fetchHangingOnPost: PspFetch = (input, init) =>
        init?.method === 'POST' ? silent(false)(input, init) : Promise.resolve(Response.json(sampleDispute()))
      const close = connectStripe('http://127.0.0.1:9', { fetch: fetchHangingOnPost }).acceptDispute({
        reference: 'dp_sample1',
        idempotencyKey: 'k',
      })
      const failure = close.catch((error: unknown) => error)
      await vi.advanceTimersByTimeAsync(TIMEOUT_MS)
      expect(await failure).toMatchObject({ kind: 'outcome_unknown' })
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('the request rate', () => {
  test('a full token bucket stays within Stripe’s 25 requests per second', () =>
    expect(stripe.limits.requestsPerSecond + stripe.limits.burst).toBeLessThanOrEqual(25))
})
