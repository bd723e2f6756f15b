import type { DisputePlan, ReasonWord, Situation } from '../engine/contract.ts'
import { cardReason, closedSituation, openSituation, plannedReason, plannedSituation } from '../engine/planned.ts'

/**
 * Stripe itself found two earlier, undisputed purchases of the cardholder: the dispute is qualified for Visa CE 3.0.
 */
export const COMPELLING = 'compelling_evidence'

/** Every (status, stage) in which a Stripe dispute can be seen; `variant` tells the builder what stands behind it. */
export const SITUATIONS: readonly Situation[] = [
  openSituation('needs_response', 'chargeback', 'chargeback', ['card', 'klarna', 'paypal']),
  openSituation('warning_needs_response', 'inquiry', 'inquiry', ['card']),
  openSituation('appeal_needs_response', 'second_chargeback', 'appeal', ['card']),
  openSituation('needs_response', 'claim', 'claim', ['amazon_pay']),
  openSituation('needs_response', 'other', 'compliance', ['compliance']),
  closedSituation('under_review', 'under_review', 'chargeback', 'chargeback', ['card', 'klarna', 'paypal']),
  closedSituation('warning_under_review', 'under_review', 'inquiry', 'inquiry', ['card']),
  closedSituation('appeal_under_review', 'under_review', 'second_chargeback', 'appeal', ['card']),
  closedSituation('under_review', 'under_review', 'claim', 'claim', ['amazon_pay']),
  closedSituation('under_review', 'under_review', 'other', 'compliance', ['compliance']),
  closedSituation('won', 'won', 'chargeback', 'chargeback', ['card', 'klarna', 'paypal']),
  closedSituation('won', 'won', 'second_chargeback', 'appeal', ['card']),
  closedSituation('won', 'won', 'claim', 'claim', ['amazon_pay']),
  closedSituation('won', 'won', 'other', 'compliance', ['compliance']),
  closedSituation('lost', 'lost', 'chargeback', 'chargeback', ['card', 'klarna', 'paypal']),
  closedSituation('lost', 'lost', 'second_chargeback', 'appeal', ['card']),
  closedSituation('lost', 'lost', 'claim', 'claim', ['amazon_pay']),
  closedSituation('lost', 'lost', 'other', 'compliance', ['compliance']),
  closedSituation('lost', 'evidence_not_submitted_by_psp', 'chargeback', 'staged', ['card']),
  closedSituation('warning_closed', 'not_applicable', 'inquiry', 'inquiry', ['card']),
  closedSituation('prevented', 'not_applicable', 'alert', 'block', ['card']),
  closedSituation('prevented', 'not_applicable', 'alert', 'resolution', ['card']),
  { ...openSituation('needs_response', 'chargeback', COMPELLING, ['visa_fraud']), special: true },
]

/** Network reason codes with Stripe's reason word. */
export const REASONS: readonly ReasonWord[] = [
  cardReason('visa', '10.4', 'fraudulent'),
  cardReason('visa', '10.5', 'fraudulent'),
  cardReason('visa', '11.3', 'general'),
  cardReason('visa', '12.6.1', 'duplicate'),
  cardReason('visa', '13.1', 'product_not_received'),
  cardReason('visa', '13.2', 'subscription_canceled'),
  cardReason('visa', '13.3', 'product_unacceptable'),
  cardReason('visa', '13.6', 'credit_not_processed'),
  cardReason('visa', '13.7', 'credit_not_processed'),
  cardReason('mastercard', '4837', 'fraudulent'),
  cardReason('mastercard', '4863', 'unrecognized'),
  cardReason('mastercard', '4834', 'duplicate'),
  cardReason('mastercard', '4808', 'general'),
  cardReason('mastercard', '4853', 'product_unacceptable'),
  cardReason('mastercard', '4855', 'product_not_received'),
  cardReason('amex', 'F29', 'fraudulent'),
  cardReason('amex', 'C08', 'product_not_received'),
  cardReason('amex', 'C28', 'subscription_canceled'),
  cardReason('amex', 'P08', 'duplicate'),
  cardReason('amex', 'A02', 'general'),
  cardReason('discover', 'UA02', 'fraudulent'),
  cardReason('discover', 'RG', 'product_not_received'),
  cardReason('discover', 'AA', 'unrecognized'),
  cardReason('diners', 'RM', 'product_unacceptable'),
  cardReason('jcb', '546', 'fraudulent'),
  cardReason('unionpay', '4544', 'general'),
  cardReason('cartes_bancaires', '45', 'fraudulent'),
  { kind: 'compliance', scheme: 'visa', code: '98', word: 'noncompliant' },
  { kind: 'compliance', scheme: 'mastercard', code: '4999', word: 'noncompliant' },
  { kind: 'amazon_pay', scheme: null, code: null, word: 'product_not_received' },
  { kind: 'amazon_pay', scheme: null, code: null, word: 'product_unacceptable' },
  { kind: 'klarna', scheme: null, code: 'return', word: 'credit_not_processed' },
  { kind: 'klarna', scheme: null, code: 'high_risk_order', word: 'fraudulent' },
  { kind: 'paypal', scheme: null, code: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED', word: 'product_not_received' },
  { kind: 'paypal', scheme: null, code: 'UNAUTHORISED', word: 'fraudulent' },
  { kind: 'visa_fraud', scheme: 'visa', code: '10.4', word: 'fraudulent' },
]

/**
 * Presentment currencies with the digits Stripe counts. ISK and UGX are whole-unit currencies that Stripe still sends
 * with two digits (docs.stripe.com/currencies).
 */
export const CURRENCIES = [
  { code: 'USD', exponent: 2, weight: 8 },
  { code: 'EUR', exponent: 2, weight: 4 },
  { code: 'GBP', exponent: 2, weight: 3 },
  { code: 'JPY', exponent: 0, weight: 2 },
  { code: 'KRW', exponent: 0, weight: 1 },
  { code: 'CLP', exponent: 0, weight: 1 },
  { code: 'KWD', exponent: 3, weight: 1 },
  { code: 'BHD', exponent: 3, weight: 1 },
  { code: 'ISK', exponent: 2, weight: 1 },
  { code: 'CAD', exponent: 2, weight: 1 },
  { code: 'AUD', exponent: 2, weight: 1 },
  { code: 'MXN', exponent: 2, weight: 1 },
  { code: 'HUF', exponent: 2, weight: 1 },
] as const

/** What one unit is worth in US dollars, roughly: only there so that settlement amounts differ from presentment. */
export const DOLLARS: Readonly<Record<string, number>> = {
  USD: 1,
  EUR: 1.09,
  GBP: 1.27,
  JPY: 0.0066,
  KRW: 0.00073,
  CLP: 0.0011,
  KWD: 3.26,
  BHD: 2.65,
  ISK: 0.0072,
  CAD: 0.73,
  AUD: 0.66,
  MXN: 0.056,
  HUF: 0.0028,
}

export function situationOf(plan: DisputePlan): Situation {
  return plannedSituation(SITUATIONS, plan)
}

export function reasonOf(plan: DisputePlan): ReasonWord {
  return plannedReason(REASONS, plan)
}
