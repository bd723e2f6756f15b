import type { CardScheme, LifecycleStage, PaymentMethod, PspStatus } from '../../domain/chargeback.ts'

/** Maps PayPal's values to the service's. Every table has a default, because PayPal's enumerations are open. */

/** RESOLVED_WITH_PAYOUT: PayPal paid, the seller kept the money (PayPal's FAQ on disputes). */
const OUTCOMES = new Map<string, PspStatus>([
  ['RESOLVED_SELLER_FAVOUR', 'won'],
  ['RESOLVED_BUYER_FAVOUR', 'lost'],
  ['RESOLVED_WITH_PAYOUT', 'won'],
  ['CANCELED_BY_BUYER', 'won'],
  ['ACCEPTED', 'lost'],
  ['DENIED', 'won'],
  // Closed without a decision, replaced by another case.
  ['NONE', 'not_applicable'],
])

/** One spelling: PayPal writes FAVOUR and, in newer models, FAVOR. */
export function outcomeCode(code: string): string {
  return code.replace(/FAVOR$/, 'FAVOUR')
}

export function outcomeStatus(code: string): PspStatus {
  return OUTCOMES.get(outcomeCode(code)) ?? 'unknown'
}

/** `dispute_state`, the seller's view. `inquiry`: the value does not say whether the seller has to act. */
export const STATES = new Map<string, PspStatus | 'inquiry'>([
  ['REQUIRED_ACTION', 'needs_response'],
  ['REQUIRED_OTHER_PARTY_ACTION', 'under_review'],
  ['UNDER_PAYPAL_REVIEW', 'under_review'],
  ['OPEN_INQUIRIES', 'inquiry'],
  // Lost for now: it can be appealed, and polls continue.
  ['APPEALABLE', 'lost'],
])

export const STATUSES = new Map<string, PspStatus | 'inquiry'>([
  ['WAITING_FOR_SELLER_RESPONSE', 'needs_response'],
  ['OPEN', 'inquiry'],
  ['WAITING_FOR_BUYER_RESPONSE', 'under_review'],
  ['UNDER_REVIEW', 'under_review'],
])

const REASONS = new Set([
  'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
  'MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED',
  'UNAUTHORISED',
  'CREDIT_NOT_PROCESSED',
  'DUPLICATE_TRANSACTION',
  'INCORRECT_AMOUNT',
  'PAYMENT_BY_OTHER_MEANS',
  'CANCELED_RECURRING_BILLING',
  'PROBLEM_WITH_REMITTANCE',
  'OTHER',
])

export function isKnownReason(reason: string): boolean {
  return REASONS.has(reason)
}

/**
 * PayPal's stage CHARGEBACK is a claim at PayPal itself, unless its channel is external: then it is the card scheme's.
 */
export function lifecycleStageOf(stage: string | null, channel: string | null): LifecycleStage {
  if (channel === 'ALERT') return 'alert'
  switch (stage) {
    case 'INQUIRY':
      return 'inquiry'
    case 'CHARGEBACK':
      return channel === 'EXTERNAL' ? 'chargeback' : channel === 'INTERNAL' ? 'claim' : 'other'
    case 'PRE_ARBITRATION':
      return 'second_chargeback'
    case 'ARBITRATION':
      return 'third_chargeback'
    default:
      return 'other'
  }
}

const SCHEMES = new Map<string, CardScheme>([
  ['VISA', 'visa'],
  ['MASTERCARD', 'mastercard'],
  ['MAESTRO', 'maestro'],
  ['AMEX', 'amex'],
  ['DISCOVER', 'discover'],
  ['DINERS', 'diners'],
  ['JCB', 'jcb'],
  ['CHINA_UNION_PAY', 'unionpay'],
  ['CB_NATIONALE', 'cartes_bancaires'],
  ['ELO', 'elo'],
])

/** A brand or network of Orders and Payments; `other` for one without an own value. */
export function cardSchemeOf(brand: string | null): CardScheme | null {
  return brand === null || brand === 'UNKNOWN' ? null : (SCHEMES.get(brand.toUpperCase()) ?? 'other')
}

const METHODS = new Map<string, PaymentMethod>([
  ['paypal', 'paypal'],
  ['venmo', 'other'],
  ['apple_pay', 'apple_pay'],
  ['google_pay', 'google_pay'],
])
const CARD_TYPES = new Map<string, PaymentMethod>([
  ['CREDIT', 'credit_card'],
  ['DEBIT', 'debit_card'],
  ['PREPAID', 'prepaid_card'],
])

/** `source` is the key under `payment_source` of an order. */
export function paymentMethodOf(source: string, cardType: string | null): PaymentMethod {
  if (source === 'card') return CARD_TYPES.get(cardType ?? '') ?? 'card'
  return METHODS.get(source) ?? 'other'
}
