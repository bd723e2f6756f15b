/** `details[].issue` under 400, as sentences (PayPal docs, Disputes API reference, Errors). */

export const BAD_REQUEST = 'PayPal refused the request as invalid.'

/** Errors that no further request can fix: the merchant has to act first. */
export const FINAL_ISSUES: ReadonlyMap<string, string> = new Map([
  [
    'INSUFFICIENT_FUNDS',
    'The PayPal balance is too low to refund the buyer. Top it up, then accept the chargeback again.',
  ],
  [
    'REFUND_DECLINED_BY_COMPLIANCE_SCANNING',
    "PayPal's compliance check blocked the refund. Ask PayPal's support, then accept the chargeback again.",
  ],
])

const RETURN = "PayPal's rules for a return address were not met."
const REFUND = 'PayPal refused a preference for the refund that was not sent.'
const LIST = 'PayPal refused the parameters of the list. Check that the clock of this machine is right.'

export const ISSUES: ReadonlyMap<string, string> = new Map([
  ['AMOUNT_SHOULD_NOT_BE_PASSED', 'PayPal takes no refund amount for this dispute.'],
  ['INTANGIBLE_ITEM_CANNOT_BE_RETURNED', RETURN],
  ['MISSING_RETURN_SHIPPING_ADDRESS', RETURN],
  ['INVALID_RETURN_SHIPPING_ADDRESS_FORMAT', RETURN],
  ['SHIPPING_ADDRESS_SHOULD_NOT_BE_PASSED', RETURN],
  ['FUNDING_INSTRUMENT_PREFERENCE_NOT_ALLOWED', REFUND],
  ['PROVISIONAL_CREDIT_PREFERENCE_NOT_ALLOWED', REFUND],
  ['REFUND_PREFERENCE_MUTUALLY_EXCLUSIVE', REFUND],
  [
    'INVALID_EVIDENCE_FILE',
    'PayPal refused a file. It takes PDF, JPEG, PNG and GIF below 10 MB each, 50 MB in all per case.',
  ],
  [
    'INVALID_EVIDENCE_TYPE_PROOF_OF_FULFILLMENT',
    'PayPal takes no proof of fulfillment for the reason and status of this dispute.',
  ],
  ['MISSING_EVIDENCE_INFO', 'PayPal wants tracking details or refund ids with this evidence.'],
  ['MISSING_EVIDENCE_TYPE', 'PayPal wants a type for each piece of evidence.'],
  ['MISSING_REFUND_ID', 'PayPal wants the id of the refund with a proof of refund. Add the text refund_ids.'],
  [
    'MISSING_TRACKING_INFO',
    'PayPal wants tracking with a proof of fulfillment. Add the texts carrier_name and tracking_number.',
  ],
  [
    'ITEM_ID_IS_MANDATORY_FOR_MULTIPLE_EVIDENCES',
    'PayPal wants the item of each piece of evidence, and the dispute names none.',
  ],
  ['DATE_CAN_NOT_BE_IN_FUTURE', LIST],
  ['INVALID_PAGE_SIZE', LIST],
  ['INVALID_START_TIME_FORMAT', LIST],
  ['INVALID_START_TIME_RANGE', LIST],
])
