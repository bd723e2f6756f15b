import { describe, expect, test } from 'vitest'
import { connectSimulator, DISPUTES } from '../../adapters/paypal/at-simulator.ts'

/** PayPal docs, Negative testing: eight errors that every operation has, followed by its own. */
const EIGHT = [
  '403 FORBIDDEN',
  '404 INVALID_RESOURCE_ID',
  '406 NOT_ACCEPTABLE',
  '415 UNSUPPORTED_MEDIA_TYPE',
  '429 RATE_LIMIT_REACHED',
  '503 SERVICE_UNAVAILABLE',
  '500 INTERNAL_SERVICE_ERROR',
  '401 AUTHORIZATION_ERROR',
]
const CONFLICT = '422 UNPROCESSABLE_ENTITY'
const EVIDENCE = [
  'INVALID_EVIDENCE_FILE',
  'INVALID_EVIDENCE_TYPE_PROOF_OF_FULFILLMENT',
  'ITEM_ID_IS_MANDATORY_FOR_MULTIPLE_EVIDENCES',
  'MISSING_EVIDENCE_INFO',
  'MISSING_EVIDENCE_TYPE',
  'MISSING_REFUND_ID',
  'MISSING_TRACKING_INFO',
]
const LIST = ['DATE_CAN_NOT_BE_IN_FUTURE', 'INVALID_PAGE_SIZE', 'INVALID_START_TIME_FORMAT', 'INVALID_START_TIME_RANGE']
const ACCEPT = [
  'AMOUNT_SHOULD_NOT_BE_PASSED',
  'INSUFFICIENT_FUNDS',
  'INTANGIBLE_ITEM_CANNOT_BE_RETURNED',
  'INVALID_RETURN_SHIPPING_ADDRESS_FORMAT',
  'MISSING_RETURN_SHIPPING_ADDRESS',
]
const issues = (names: string[]) => names.map((name) => `400 ${name}`)

describe('documented test values', () => {
  test.each([
    ['list', 23, [...EIGHT, ...issues(LIST)]],
    ['get', 15, EIGHT],
    ['provide-evidence', 35, [...EIGHT, CONFLICT, ...issues(EVIDENCE)]],
    ['accept-claim', 51, [...EIGHT, CONFLICT, ...issues(ACCEPT), CONFLICT]],
    ['appeal', 66, [...EIGHT, CONFLICT, ...issues(EVIDENCE)]],
    ['escalate', 82, [...EIGHT, CONFLICT]],
    ['send-message', 91, [...EIGHT, CONFLICT]],
    ['make-offer', 100, [...EIGHT, CONFLICT]],
    ['acknowledge-return-item', 109, [...EIGHT, CONFLICT]],
  ])('of %s, from ERRDIS%i on, return their errors', async (operation, first, expected) => {
    await using paypal = await connectSimulator()
    const seen: string[] = []
    for (let index = 0; index < expected.length; index++) {
      const value = `ERRDIS${String(first + index).padStart(3, '0')}`
      const { status, body } =
        operation === 'list'
          ? await paypal.call('GET', `${DISPUTES}?disputed_transaction_id=${value}`)
          : operation === 'get'
            ? await paypal.call('GET', `${DISPUTES}/${value}`)
            : await paypal.call('POST', `${DISPUTES}/${value}/${operation}`, {})
      if (status === 400) expect(body.name).toBe('VALIDATION_ERROR')
      seen.push(`${status} ${status === 400 ? body.details[0].issue : body.name}`)
    }
    expect(seen).toEqual(expected)
  })
})
