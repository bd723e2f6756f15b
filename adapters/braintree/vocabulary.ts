import type { CardScheme, LifecycleStage, PaymentMethod, PspStatus } from '../../domain/chargeback.ts'

/** Maps Braintree's values to the service's (SDK 3.40.0: Dispute, CreditCard, PaymentInstrumentTypes). */

/** The only status in which Braintree accepts an answer. */
export const OPEN = 'open'
/** Accepted by the merchant; auto_accepted means that Braintree accepted it because nobody answered. */
export const ACCEPTED = 'accepted'
/** Statuses that can still change; the sweep reads them again. */
export const UNDECIDED = ['open', 'under_review', 'disputed']

const STATUSES = new Map<string, PspStatus>([
  ['open', 'needs_response'],
  // Set by finalize.
  ['disputed', 'under_review'],
  // A review inside the PSP (PayPal and other alternative methods).
  ['under_review', 'under_review'],
  ['won', 'won'],
  ['lost', 'lost'],
  ['accepted', 'lost'],
  ['auto_accepted', 'lost'],
  ['expired', 'lost'],
])

export function pspStatusOf(status: string): PspStatus {
  return STATUSES.get(status) ?? 'unknown'
}

export const KINDS = ['chargeback', 'pre_arbitration', 'retrieval']
export const PROGRAMS = ['none', 'visa_rdr']
export const REASONS = [
  'cancelled_recurring_transaction',
  'credit_not_processed',
  'duplicate',
  'fraud',
  'general',
  'invalid_account',
  'not_recognized',
  'product_not_received',
  'product_unsatisfactory',
  'retrieval',
  'transaction_amount_differs',
]

/** The programme takes precedence: a dispute refunded by Visa's RDR never became a chargeback, whatever its kind. */
export function lifecycleStageOf(kind: string | null, program: string | null): LifecycleStage {
  if (program === 'visa_rdr') return 'alert'
  if (kind === 'retrieval') return 'inquiry'
  if (kind === 'pre_arbitration') return 'second_chargeback'
  return kind === 'chargeback' ? 'chargeback' : 'other'
}

const SCHEMES = new Map<string, CardScheme>([
  ['visa', 'visa'],
  ['mastercard', 'mastercard'],
  ['american express', 'amex'],
  ['amex', 'amex'],
  ['discover', 'discover'],
  ['diners club', 'diners'],
  ['carte blanche', 'diners'],
  ['jcb', 'jcb'],
  ['china unionpay', 'unionpay'],
  ['unionpay', 'unionpay'],
  ['maestro', 'maestro'],
  ['uk maestro', 'maestro'],
  ['switch', 'maestro'],
  ['elo', 'elo'],
])
/** Networks without an own value in the interface. */
const OTHERS = ['laser', 'solo', 'hiper', 'hipercard']

/** Wallets prefix the network: "Apple Pay - Visa". Null for an unknown network. */
export function cardSchemeOf(name: string | null): CardScheme | null {
  const network = (name ?? '')
    .toLowerCase()
    .replace(/^(apple|google|android|samsung) pay - /, '')
    .replaceAll('_', ' ')
    .trim()
  return SCHEMES.get(network) ?? (OTHERS.includes(network) ? 'other' : null)
}

const METHODS = new Map<string, PaymentMethod>([
  ['credit_card', 'card'],
  ['visa_checkout_card', 'card'],
  ['masterpass_card', 'card'],
  ['samsung_pay_card', 'card'],
  ['meta_checkout_card', 'card'],
  ['meta_checkout_token', 'card'],
  ['network_token', 'card'],
  ['apple_pay_card', 'apple_pay'],
  ['android_pay_card', 'google_pay'],
  ['paypal_account', 'paypal'],
  ['us_bank_account', 'ach'],
  ['sepa_debit_account', 'sepa_debit'],
])

/** By `paymentInstrumentType` only: the SDK creates an object for every method, used or not. */
export function paymentMethodOf(type: string | null, card: { debit: unknown; prepaid: unknown }): PaymentMethod | null {
  if (type === null) return null
  const method = METHODS.get(type) ?? 'other'
  if (method !== 'card') return method
  if (card.prepaid === 'Yes') return 'prepaid_card'
  if (card.debit === 'Yes') return 'debit_card'
  return card.debit === 'No' ? 'credit_card' : 'card'
}
