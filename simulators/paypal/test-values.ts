import { PayPalRefusal, STATUSES } from './errors.ts'

/**
 * PayPal's documented values for negative testing, ERRDIS015 to ERRDIS117: given as the id of a dispute, or as
 * `disputed_transaction_id` of the list, they are answered with one error each (PayPal docs, Negative testing).
 */
const EIGHT = [
  'FORBIDDEN',
  'INVALID_RESOURCE_ID',
  'NOT_ACCEPTABLE',
  'UNSUPPORTED_MEDIA_TYPE',
  'RATE_LIMIT_REACHED',
  'SERVICE_UNAVAILABLE',
  'INTERNAL_SERVICE_ERROR',
  'AUTHORIZATION_ERROR',
]
const EVIDENCE = [
  'INVALID_EVIDENCE_FILE',
  'INVALID_EVIDENCE_TYPE_PROOF_OF_FULFILLMENT',
  'ITEM_ID_IS_MANDATORY_FOR_MULTIPLE_EVIDENCES',
  'MISSING_EVIDENCE_INFO',
  'MISSING_EVIDENCE_TYPE',
  'MISSING_REFUND_ID',
  'MISSING_TRACKING_INFO',
]
const CONFLICT = 'UNPROCESSABLE_ENTITY'

export type TestedOperation =
  | 'list'
  | 'get'
  | 'provide-evidence'
  | 'accept-claim'
  | 'appeal'
  | 'escalate'
  | 'send-message'
  | 'make-offer'
  | 'acknowledge-return-item'

const RANGES: Readonly<Record<TestedOperation, { first: number; answers: readonly string[] }>> = {
  get: { first: 15, answers: EIGHT },
  list: {
    first: 23,
    answers: [
      ...EIGHT,
      'DATE_CAN_NOT_BE_IN_FUTURE',
      'INVALID_PAGE_SIZE',
      'INVALID_START_TIME_FORMAT',
      'INVALID_START_TIME_RANGE',
    ],
  },
  'provide-evidence': { first: 35, answers: [...EIGHT, CONFLICT, ...EVIDENCE] },
  'accept-claim': {
    first: 51,
    answers: [
      ...EIGHT,
      CONFLICT,
      'AMOUNT_SHOULD_NOT_BE_PASSED',
      'INSUFFICIENT_FUNDS',
      'INTANGIBLE_ITEM_CANNOT_BE_RETURNED',
      'INVALID_RETURN_SHIPPING_ADDRESS_FORMAT',
      'MISSING_RETURN_SHIPPING_ADDRESS',
      CONFLICT,
    ],
  },
  appeal: { first: 66, answers: [...EIGHT, CONFLICT, ...EVIDENCE] },
  escalate: { first: 82, answers: [...EIGHT, CONFLICT] },
  'send-message': { first: 91, answers: [...EIGHT, CONFLICT] },
  'make-offer': { first: 100, answers: [...EIGHT, CONFLICT] },
  'acknowledge-return-item': { first: 109, answers: [...EIGHT, CONFLICT] },
}

/** @throws PayPalRefusal when `value` is a test value of this operation */
export function honourTestValue(operation: TestedOperation, value: string): void {
  const number = Number(/^ERRDIS(\d{3})$/.exec(value)?.[1] ?? Number.NaN)
  const { first, answers } = RANGES[operation]
  const answer = answers[number - first]
  if (answer === undefined) return
  const status = STATUSES[answer]
  throw status === undefined ? new PayPalRefusal(400, 'VALIDATION_ERROR', answer) : new PayPalRefusal(status, answer)
}
