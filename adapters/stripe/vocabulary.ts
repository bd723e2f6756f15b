import type { CardScheme, LifecycleStage, PaymentMethod, PspStatus } from '../../domain/chargeback.ts'

/** Maps Stripe's values to the service's. Every table has a default, because Stripe's enumerations are open. */

/** Statuses in which Stripe accepts evidence. */
export const ANSWERABLE = ['needs_response', 'warning_needs_response', 'appeal_needs_response']

const STATUSES = new Map<string, PspStatus>([
  ['needs_response', 'needs_response'],
  ['warning_needs_response', 'needs_response'],
  ['appeal_needs_response', 'needs_response'],
  ['under_review', 'under_review'],
  ['warning_under_review', 'under_review'],
  ['appeal_under_review', 'under_review'],
  // An inquiry that ended without a chargeback: no win, because nothing was disputed.
  ['warning_closed', 'not_applicable'],
  ['won', 'won'],
  ['lost', 'lost'],
  // Resolved before it became a dispute (RDR, Ethoca).
  ['prevented', 'not_applicable'],
])

export function pspStatusOf(status: string): PspStatus {
  return STATUSES.get(status) ?? 'unknown'
}

/** Values that no inquiry has. */
const CHARGED = ['needs_response', 'under_review', 'won', 'appeal_needs_response', 'appeal_under_review']

/** The status takes precedence over the case type: an inquiry that became a chargeback may keep its case type. */
export function lifecycleStageOf(facts: {
  status: string
  caseType: string | null
  appealed: boolean
  amazonPayType: string | null
}): LifecycleStage {
  const { status, caseType } = facts
  if (status === 'prevented' || caseType === 'block' || caseType === 'resolution') return 'alert'
  if (status.startsWith('warning_') || (caseType === 'inquiry' && !CHARGED.includes(status))) return 'inquiry'
  if (status.startsWith('appeal_') || facts.appealed) return 'second_chargeback'
  if (facts.amazonPayType === 'claim') return 'claim'
  if (caseType === 'compliance') return 'other'
  return 'chargeback'
}

const SCHEMES = new Map<string, CardScheme>([
  ['visa', 'visa'],
  ['mastercard', 'mastercard'],
  ['amex', 'amex'],
  ['american_express', 'amex'],
  ['discover', 'discover'],
  ['diners', 'diners'],
  ['diners_club', 'diners'],
  ['jcb', 'jcb'],
  ['unionpay', 'unionpay'],
  ['maestro', 'maestro'],
  ['cartes_bancaires', 'cartes_bancaires'],
  ['elo', 'elo'],
  ['interac', 'interac'],
])

/** Null for `unknown` and for no value; `other` for a network without an own value (eftpos_au, link, …). */
export function cardSchemeOf(network: string | null): CardScheme | null {
  if (network === null || network === 'unknown') return null
  return SCHEMES.get(network) ?? 'other'
}

const METHODS = new Map<string, PaymentMethod>([
  ['card', 'card'],
  ['card_present', 'card'],
  ['paypal', 'paypal'],
  ['amazon_pay', 'amazon_pay'],
  ['klarna', 'klarna'],
  ['sepa_debit', 'sepa_debit'],
  ['us_bank_account', 'ach'],
  ['ach_debit', 'ach'],
  ['ach_credit_transfer', 'ach'],
  ['customer_balance', 'bank_transfer'],
  ['acss_debit', 'bank_transfer'],
  ['au_becs_debit', 'bank_transfer'],
  ['bacs_debit', 'bank_transfer'],
  ['nz_bank_account', 'bank_transfer'],
])
const FUNDING = new Map<string, PaymentMethod>([
  ['credit', 'credit_card'],
  ['debit', 'debit_card'],
  ['prepaid', 'prepaid_card'],
])
const WALLETS = new Map<string, PaymentMethod>([
  ['apple_pay', 'apple_pay'],
  ['google_pay', 'google_pay'],
])

/** A wallet takes precedence over the card's funding type, and that over `card`. */
export function paymentMethodOf(
  type: string | null,
  wallet: string | null,
  funding: string | null,
): PaymentMethod | null {
  if (type === null) return null
  const method = METHODS.get(type) ?? 'other'
  return method === 'card' ? (WALLETS.get(wallet ?? '') ?? FUNDING.get(funding ?? '') ?? 'card') : method
}

const ZERO_DECIMAL = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '))
const THREE_DECIMAL = new Set('BHD JOD KWD OMR TND'.split(' '))

/**
 * Digits of Stripe's minor unit (Stripe docs, Supported currencies), which may differ from ISO 4217: ISK and UGX are
 * whole units times 100, MGA has no decimals, HUF and TWD have two except in payouts.
 */
export function amountExponentOf(currency: string): number {
  if (ZERO_DECIMAL.has(currency)) return 0
  return THREE_DECIMAL.has(currency) ? 3 : 2
}
