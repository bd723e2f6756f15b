import { describe, expect, test } from 'vitest'
import { TIMEOUT_MS } from '../../../../adapters/adyen/client.ts'
import { connectionError, refusalOf } from '../../../../adapters/adyen/errors.ts'
import { type PspFetch, pspFetch } from '../../../../adapters/shared/psp-fetch.ts'
import { startLoopback } from '../loopback.ts'
import { connectAdyen, DISPUTE, delivery, inboxOf, NOW, opened } from './adyen.ts'

/** What Node's fetch throws. */
const failed = (code: string) => Object.assign(new TypeError('fetch failed'), { cause: { code } })

describe('a connection', () => {
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
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  ])('that was never established (%s) sent nothing, not even a write', (code) => {
    expect(connectionError(failed(code), 'write').kind).toBe('unavailable')
    expect(connectionError(failed(code), 'read').kind).toBe('unavailable')
  })

  test.each([
    ['a reset', failed('UND_ERR_SOCKET')],
    ['a reset by the system', failed('ECONNRESET')],
    ['a body that does not end', failed('UND_ERR_BODY_TIMEOUT')],
    ['an abort', new DOMException('aborted', 'AbortError')],
    ['our timeout', new DOMException('timed out', 'TimeoutError')],
    ['a value that is no Error', 'socket hang up'],
    ['nothing', undefined],
  ])('that ended with %s may have sent a write', (_, error) => {
    expect(connectionError(error, 'write').kind).toBe('outcome_unknown')
    expect(connectionError(error, 'read').kind).toBe('unavailable')
  })
})

describe('the deadline of a call', () => {
  test('is Recoup’s, body included, because the SDK has none', async () => {
    const timeouts: (number | undefined)[] = []
    const impatient: PspFetch = (url, request) => {
      timeouts.push(request?.timeoutMs)
      return pspFetch(url, { ...request, timeoutMs: 100 })
    }
    await using psp = await startLoopback((_, response) => void response.writeHead(200).write('{'))
    const adapter = connectAdyen({
      baseUrl: psp.url,
      inbox: inboxOf([delivery([opened()])]),
      fetch: impatient,
    })
    await expect(adapter.checkCredentials()).rejects.toMatchObject({ kind: 'unavailable' })
    await expect(adapter.acceptDispute({ reference: DISPUTE, idempotencyKey: 'k' })).rejects.toMatchObject({
      kind: 'outcome_unknown',
    })
    expect(timeouts).toEqual([TIMEOUT_MS, TIMEOUT_MS])
    expect(TIMEOUT_MS).toBeLessThanOrEqual(30_000)
  })
})

describe('a refusal', () => {
  const refusal = (status: number, headers = {}) =>
    refusalOf({ status, headers: new Headers(headers), text: '{}' }, 'write', NOW)

  test.each([400, 404, 405, 413, 415, 422])('with %i is invalid_request', (status) => {
    expect(refusal(status).kind).toBe('invalid_request')
  })

  test('with 409 is invalid_request too, if the key is not in use', () => {
    expect(refusal(409).kind).toBe('invalid_request')
  })

  test('with 429 has a retry time, also if Adyen sends none', () => {
    expect(refusal(429, { 'retry-after': '7' }).retryAfterMs).toBe(7_000)
    expect(refusal(429).retryAfterMs).toBeGreaterThanOrEqual(1_000)
  })
})

describe('the address', () => {
  test.each([
    ['sandbox', 'https://ca-test.adyen.com'],
    ['production', 'https://ca-live.adyen.com'],
  ] as const)('of %s is %s, and no other is tried', async (environment, origin) => {
    const called: string[] = []
    const refusing: PspFetch = async (input) => {
      called.push(input)
      return new Response('{}', { status: 401 })
    }
    const live = environment === 'production' ? 'true' : 'false'
    const adapter = connectAdyen({
      baseUrl: null,
      environment,
      fetch: refusing,
      inbox: inboxOf([delivery([opened()], live)]),
    })
    await expect(adapter.checkCredentials()).rejects.toMatchObject({ kind: 'auth_failed' })
    await expect(adapter.acceptDispute({ reference: DISPUTE, idempotencyKey: 'k' })).rejects.toMatchObject({
      kind: 'auth_failed',
    })
    const path = `${origin}/ca/services/DisputeService/v30`
    expect(called).toEqual([`${path}/retrieveApplicableDefenseReasons`, `${path}/acceptDispute`])
  })
})
