import type { CardScheme, PaymentMethod } from '../../domain/chargeback.ts'

/** Maps Adyen's values to the service's. Every table has a default, because Adyen's enumerations are open. */

/** Dispute event codes in the usual order, which breaks ties within a second. */
export const DISPUTE_EVENTS = [
  'NOTIFICATION_OF_FRAUD',
  'REQUEST_FOR_INFORMATION',
  'NOTIFICATION_OF_CHARGEBACK',
  'DISPUTE_OPENED_WITH_CHARGEBACK',
  'CHARGEBACK',
  'ISSUER_COMMENTS',
  'INFORMATION_SUPPLIED',
  'CHARGEBACK_REVERSED',
  'DISPUTE_DEFENSE_PERIOD_ENDED',
  'ISSUER_RESPONSE_TIMEFRAME_EXPIRED',
  'SECOND_CHARGEBACK',
  'PREARBITRATION_OPEN',
  'PREARBITRATION_DECLINED',
  'PREARBITRATION_ISSUER_WITHDRAWN',
  'PREARBITRATION_WON',
  'PREARBITRATION_ACCEPTED',
  'PREARBITRATION_LOST',
  'SCHEME_ARBITRATION',
  'SCHEME_ARBITRATION_WON',
  'SCHEME_ARBITRATION_LOST',
] as const
export type DisputeEvent = (typeof DISPUTE_EVENTS)[number]

const RANKS = new Map<string, number>(DISPUTE_EVENTS.map((code, rank) => [code, rank]))

export function isDisputeEvent(code: string): code is DisputeEvent {
  return RANKS.has(code)
}

/** Position in the usual order; an unknown code comes last. */
export function rankOf(code: string): number {
  return RANKS.get(code) ?? RANKS.size
}

/** Events that may lack originalReference and carry the payment's reference in place of the dispute's. */
export function mayNamePayment(code: string): boolean {
  return code === 'CHARGEBACK_REVERSED' || code === 'SECOND_CHARGEBACK' || code.startsWith('PREARBITRATION_')
}

/** Values of `disputeStatus` in version 1 of the webhooks. */
export const DISPUTE_STATUSES = [
  'Unresponded',
  'Responded',
  'Expired',
  'Undefended',
  'Accepted',
  'Pending',
  'Lost',
  'Won',
] as const
export type DisputeStatus = (typeof DISPUTE_STATUSES)[number]

export function isDisputeStatus(word: string): word is DisputeStatus {
  return (DISPUTE_STATUSES as readonly string[]).includes(word)
}

const SCHEMES = new Map<string, CardScheme>([
  ['visa', 'visa'],
  ['electron', 'visa'],
  ['vpay', 'visa'],
  ['mc', 'mastercard'],
  ['mastercard', 'mastercard'],
  ['amex', 'amex'],
  ['discover', 'discover'],
  ['diners', 'diners'],
  ['jcb', 'jcb'],
  ['cup', 'unionpay'],
  ['maestro', 'maestro'],
  ['maestrouk', 'maestro'],
  ['cartebancaire', 'cartes_bancaires'],
  ['elo', 'elo'],
  ['interac', 'interac'],
  ['interac_card', 'interac'],
])

/**
 * The scheme of `chargebackSchemeCode`, `paymentMethod` or a variant of it (`visacredit`, `mc_applepay`). Null when it
 * is not a card.
 */
export function cardSchemeOf(word: string | null): CardScheme | null {
  if (word === null) return null
  const plain = word.toLowerCase()
  const exact = SCHEMES.get(plain)
  if (exact) return exact
  const known = [...SCHEMES].find(([start]) => start.length > 2 && plain.startsWith(start))
  return (
    known?.[1] ?? (/^mc(_|credit|debit|prepaid|standard|commercial|premium|super)/.test(plain) ? 'mastercard' : null)
  )
}

const METHODS = new Map<string, PaymentMethod>([
  ['sepadirectdebit', 'sepa_debit'],
  ['ach', 'ach'],
  ['paypal', 'paypal'],
  ['klarna', 'klarna'],
  ['klarna_account', 'klarna'],
  ['klarna_paynow', 'klarna'],
  ['amazonpay', 'amazon_pay'],
])

/** A wallet takes precedence over the card's funding type, and that over `card`. */
export function paymentMethodOf(
  variant: string | null,
  method: string | null,
  funding?: string | null,
): PaymentMethod | null {
  const word = (variant ?? method)?.toLowerCase()
  if (word === undefined) return null
  if (word.includes('applepay')) return 'apple_pay'
  if (word.includes('googlepay') || word.includes('paywithgoogle')) return 'google_pay'
  const known = METHODS.get(word) ?? (word.startsWith('bankTransfer'.toLowerCase()) ? 'bank_transfer' : undefined)
  if (known) return known
  if (cardSchemeOf(word) === null && cardSchemeOf(method) === null) return 'other'
  const hint = `${funding?.toLowerCase() ?? ''} ${word}`
  if (hint.includes('prepaid')) return 'prepaid_card'
  if (hint.includes('debit')) return 'debit_card'
  return hint.includes('credit') ? 'credit_card' : 'card'
}

const ZERO_DECIMAL = new Set('CVE DJF GNF IDR JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'.split(' '))
const THREE_DECIMAL = new Set('BHD IQD JOD KWD LYD OMR TND'.split(' '))

/** Digits of Adyen's minor unit (Adyen docs, Currency codes and minor units), which may differ from ISO 4217. */
export function amountExponentOf(currency: string): number {
  if (ZERO_DECIMAL.has(currency)) return 0
  return THREE_DECIMAL.has(currency) ? 3 : 2
}
