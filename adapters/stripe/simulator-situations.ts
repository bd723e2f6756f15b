import type { DisputePlan, ReasonWord, Situation } from '../simulator/contract.ts'

/** Every (status, stage) in which a Stripe dispute can be seen; `variant` tells the builder what stands behind it. */
export const SITUATIONS: readonly Situation[] = [
  open('needs_response', 'chargeback', 'chargeback', ['card', 'klarna', 'paypal']),
  open('warning_needs_response', 'inquiry', 'inquiry', ['card']),
  open('appeal_needs_response', 'second_chargeback', 'appeal', ['card']),
  open('needs_response', 'claim', 'claim', ['amazon_pay']),
  open('needs_response', 'other', 'compliance', ['compliance']),
  settled('under_review', 'under_review', 'chargeback', 'chargeback', ['card', 'klarna', 'paypal']),
  settled('warning_under_review', 'under_review', 'inquiry', 'inquiry', ['card']),
  settled('appeal_under_review', 'under_review', 'second_chargeback', 'appeal', ['card']),
  settled('under_review', 'under_review', 'claim', 'claim', ['amazon_pay']),
  settled('under_review', 'under_review', 'other', 'compliance', ['compliance']),
  settled('won', 'won', 'chargeback', 'chargeback', ['card', 'klarna', 'paypal']),
  settled('won', 'won', 'second_chargeback', 'appeal', ['card']),
  settled('won', 'won', 'claim', 'claim', ['amazon_pay']),
  settled('won', 'won', 'other', 'compliance', ['compliance']),
  settled('lost', 'lost', 'chargeback', 'chargeback', ['card', 'klarna', 'paypal']),
  settled('lost', 'lost', 'second_chargeback', 'appeal', ['card']),
  settled('lost', 'lost', 'claim', 'claim', ['amazon_pay']),
  settled('lost', 'lost', 'other', 'compliance', ['compliance']),
  settled('lost', 'evidence_not_submitted_by_psp', 'chargeback', 'staged', ['card']),
  settled('warning_closed', 'not_applicable', 'inquiry', 'inquiry', ['card']),
  settled('prevented', 'not_applicable', 'alert', 'block', ['card']),
  settled('prevented', 'not_applicable', 'alert', 'resolution', ['card']),
]

function open(word: string, stage: Situation['stage'], variant: string, reasonKinds: string[]): Situation {
  return { word, status: 'needs_response', stage, open: true, variant, reasonKinds }
}

function settled(
  word: string,
  status: Situation['status'],
  stage: Situation['stage'],
  variant: string,
  reasonKinds: string[],
): Situation {
  return { word, status, stage, open: false, variant, reasonKinds }
}

/** Network reason codes with the word that Stripe files them under. */
export const REASONS: readonly ReasonWord[] = [
  card('visa', '10.4', 'fraudulent'),
  card('visa', '10.5', 'fraudulent'),
  card('visa', '11.3', 'general'),
  card('visa', '12.6.1', 'duplicate'),
  card('visa', '13.1', 'product_not_received'),
  card('visa', '13.2', 'subscription_canceled'),
  card('visa', '13.3', 'product_unacceptable'),
  card('visa', '13.6', 'credit_not_processed'),
  card('visa', '13.7', 'credit_not_processed'),
  card('mastercard', '4837', 'fraudulent'),
  card('mastercard', '4863', 'unrecognized'),
  card('mastercard', '4834', 'duplicate'),
  card('mastercard', '4808', 'general'),
  card('mastercard', '4853', 'product_unacceptable'),
  card('mastercard', '4855', 'product_not_received'),
  card('amex', 'F29', 'fraudulent'),
  card('amex', 'C08', 'product_not_received'),
  card('amex', 'C28', 'subscription_canceled'),
  card('amex', 'P08', 'duplicate'),
  card('amex', 'A02', 'general'),
  card('discover', 'UA02', 'fraudulent'),
  card('discover', 'RG', 'product_not_received'),
  card('discover', 'AA', 'unrecognized'),
  card('diners', 'RM', 'product_unacceptable'),
  card('jcb', '546', 'fraudulent'),
  card('unionpay', '4544', 'general'),
  card('cartes_bancaires', '45', 'fraudulent'),
  { kind: 'compliance', scheme: 'visa', code: '98', word: 'noncompliant' },
  { kind: 'compliance', scheme: 'mastercard', code: '4999', word: 'noncompliant' },
  { kind: 'amazon_pay', scheme: null, code: null, word: 'product_not_received' },
  { kind: 'amazon_pay', scheme: null, code: null, word: 'product_unacceptable' },
  { kind: 'klarna', scheme: null, code: 'return', word: 'credit_not_processed' },
  { kind: 'klarna', scheme: null, code: 'high_risk_order', word: 'fraudulent' },
  { kind: 'paypal', scheme: null, code: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED', word: 'product_not_received' },
  { kind: 'paypal', scheme: null, code: 'UNAUTHORISED', word: 'fraudulent' },
]

function card(scheme: ReasonWord['scheme'], code: string, word: string): ReasonWord {
  return { kind: 'card', scheme, code, word }
}

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
  const situation = SITUATIONS[plan.situation]
  if (!situation) throw new Error(`no situation ${plan.situation}`)
  return situation
}

export function reasonOf(plan: DisputePlan): ReasonWord {
  const reason = REASONS[plan.reason]
  if (!reason) throw new Error(`no reason ${plan.reason}`)
  return reason
}
