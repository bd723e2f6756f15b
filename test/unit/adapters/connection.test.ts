import { describe, expect, test } from 'vitest'
import { connectionError as adyenError } from '../../../adapters/adyen/errors.ts'
import { toPspError as braintreeError } from '../../../adapters/braintree/errors.ts'
import { newExchange } from '../../../adapters/braintree/sdk/transport.ts'
import { connectionError as paypalError } from '../../../adapters/paypal/errors.ts'
import { thrownError as sandboxError } from '../../../adapters/sandbox/errors.ts'
import { neverConnected, unreachableSentence } from '../../../adapters/shared/connection.ts'
import { toPspError as stripeError } from '../../../adapters/stripe/errors.ts'

type Call = 'read' | 'write'
const NOW = new Date('2026-11-21T10:00:00Z')
/** Like an error of Node's fetch; its text must not appear in ours. */
const failed = (code: string) => new TypeError('fetch failed', { cause: { code, message: 'https://secret.example' } })

const ADAPTERS: Record<string, (error: unknown, call: Call) => Error & { kind: string }> = {
  adyen: adyenError,
  paypal: paypalError,
  recoup_sandbox: sandboxError,
  stripe: (detail, call) => stripeError({ type: 'StripeConnectionError', detail }, call, NOW),
  braintree: (failure, call) => braintreeError(new Error('the SDK’s'), call, { ...newExchange(), failure }, NOW),
}

describe('the error for a refused certificate gives the reason, and nothing was sent', () => {
  describe.each(Object.entries(ADAPTERS))('%s', (_, errorOf) => {
    test.each([
      ['DEPTH_ZERO_SELF_SIGNED_CERT', /certificate .* of an authority that is not trusted here/],
      ['SELF_SIGNED_CERT_IN_CHAIN', /certificate .* of an authority that is not trusted here/],
      ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /certificate .* of an authority that is not trusted here/],
      ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', /certificate .* of an authority that is not trusted here/],
      ['ERR_TLS_CERT_ALTNAME_INVALID', /certificate .* is of another host/],
      ['CERT_HAS_EXPIRED', /certificate .* has expired or is not valid yet/],
      ['CERT_NOT_YET_VALID', /certificate .* has expired or is not valid yet/],
      ['CERT_REVOKED', /certificate .* can not be trusted/],
      ['ERR_SSL_WRONG_VERSION_NUMBER', /no secure connection/],
      ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', /no secure connection/],
      ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', /no secure connection/],
      ['ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE', /no secure connection/],
    ])('%s', (code, sentence) => {
      for (const call of ['read', 'write'] as const) {
        const { kind, message } = errorOf(failed(code), call)
        expect(kind).toBe('unavailable')
        expect(message).toMatch(sentence)
        expect(message).not.toMatch(/secret\.example|fetch failed/)
      }
    })

    test.each(['EPROTO', 'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', 'ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR'])(
      '%s during a connection: a write may have been applied',
      (code) => {
        expect(errorOf(failed(code), 'read').kind).toBe('unavailable')
        expect(errorOf(failed(code), 'write').kind).toBe('outcome_unknown')
      },
    )

    test('ANSWER_TOO_LARGE: the request was sent, so a write may have been applied', () => {
      const error = Object.assign(new Error('large'), { code: 'ANSWER_TOO_LARGE' })
      expect(errorOf(error, 'read').message).toMatch(/sent more than any of its answers may hold/)
      expect(errorOf(error, 'write').kind).toBe('outcome_unknown')
    })
  })
})

test.each(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'ANSWER_TOO_LARGE', 'E_NEW_ONE', ''])(
  '%s does not prove that nothing was sent',
  (code) => {
    expect(neverConnected(failed(code))).toBe(false)
    expect(neverConnected(undefined)).toBe(false)
    expect(unreachableSentence('Any PSP', failed('ECONNRESET'))).toBe(
      'Any PSP could not be reached. It is asked again later.',
    )
  },
)
