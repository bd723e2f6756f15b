/** The vocabulary of chargebacks: every enumeration of the interface, with its exact spelling. */

export const SANDBOX_SOURCE = 'recoup_sandbox'

/** `psp` values, in the interface's order. */
export const PSPS = [
  'tabapay',
  'nmi',
  'stripe',
  'paypal',
  'amex',
  'braintree',
  'shopify_payments',
  'amazon_pay',
  'adyen',
  'other',
  'cardpointe',
  'checkout',
  'omnipay',
  'acquiring',
  'chase',
  'nuvei',
  'authorizenet',
  'mollie',
  'firstdata',
  'fiserv',
  'elavon',
  'bluesnap',
  'vantiv',
  'dlocal',
  'payu',
  'worldpay_mai',
  'worldpay_iq',
  'payroc',
  'citi',
  'merlink_drs',
  'credorax',
  'dalenys',
  'worldpay_cb911',
  'worldpay_accertify',
  'discover',
  'elavon_payment_insider',
  'elavon_connect',
  'shift4',
  'payplug',
  'global_payments',
  'square',
  'ebanx',
  'zen',
  'payments_hub',
  'ems_data',
  'maverick',
  'corvia',
  'payroc_canada',
  'tap',
  'sabadell',
  'kushki',
  'worldpay',
  'klarna',
  'paysafe',
  'airwallex',
  'mangopay',
  'ecommpay',
  'iyzico',
  'lighthouse',
  'moka',
  'worldpay_wdp',
  SANDBOX_SOURCE,
] as const
export type Psp = (typeof PSPS)[number]

/** Providers of alerts whose outcome can be reported. */
export const ALERT_PROVIDERS = ['Verifi RDR', 'Verifi CDRN', 'Ethoca'] as const
export type AlertProvider = (typeof ALERT_PROVIDERS)[number]

export const PSP_STATUSES = [
  'needs_response',
  'under_review',
  'won',
  'lost',
  'not_applicable',
  'evidence_not_submitted_by_psp',
  'split',
  'unknown',
] as const
export type PspStatus = (typeof PSP_STATUSES)[number]

export const STATUSES = ['waiting_for_data', 'building_evidence', 'pending_psp_results', 'not_represented'] as const
export type Status = (typeof STATUSES)[number]

export const LIFECYCLE_STAGES = [
  'alert',
  'inquiry',
  'claim',
  'chargeback',
  'second_chargeback',
  'third_chargeback',
  'other',
] as const
export type LifecycleStage = (typeof LIFECYCLE_STAGES)[number]

export const REASON_GROUPS = [
  'fraud',
  'authorization',
  'processing_error',
  'consumer_dispute',
  'compliance',
  'general',
] as const
export type ReasonGroup = (typeof REASON_GROUPS)[number]

export const CARD_SCHEMES = [
  'visa',
  'mastercard',
  'amex',
  'discover',
  'diners',
  'jcb',
  'unionpay',
  'maestro',
  'cartes_bancaires',
  'elo',
  'interac',
  'other',
] as const
export type CardScheme = (typeof CARD_SCHEMES)[number]

export const PAYMENT_METHODS = [
  'credit_card',
  'debit_card',
  'prepaid_card',
  'card',
  'apple_pay',
  'google_pay',
  'paypal',
  'amazon_pay',
  'klarna',
  'bank_transfer',
  'sepa_debit',
  'ach',
  'other',
] as const
export type PaymentMethod = (typeof PAYMENT_METHODS)[number]

export type RoiRecommendation = 'Fight' | 'Accept'

/** What one PSP object says about a dispute, in the service's words. Times are ISO 8601 UTC; absent facts are null. */
/** An appeal against a decision; more information while the PSP reviews. */
export const FURTHER_ANSWERS = ['appeal', 'supporting_info'] as const
export type FurtherAnswer = (typeof FURTHER_ANSWERS)[number]

export interface ChargebackFacts {
  /** The PSP's identifier of the dispute. */
  chargebackId: string
  psp: Psp
  /** ISO 4217, upper case. */
  currency: string
  /** Disputed amount (not the charge's) in minor units of `currency` at `amountExponent` digits. */
  amountMinor: bigint
  /** Digits of the minor unit at this PSP, 0 to 4. */
  amountExponent: number
  postingDate: string | null
  transactionCreatedDate: string | null
  /** Null when the PSP accepts no answer. */
  dueDate: string | null
  pspStatus: PspStatus
  /** Further evidence that the PSP accepts without requesting it; absent when none. */
  furtherAnswer?: FurtherAnswer | null
  /** Time of the status change according to the PSP; null when it reports none. */
  pspStatusChangeDate: string | null
  lifecycleStage: LifecycleStage
  transactionId: string | null
  arn: string | null
  externalTransactionIdentifier: string | null
  merchantReferenceName: string | null
  reasonCode: string | null
  reason: string | null
  cardScheme: CardScheme | null
  paymentMethod: PaymentMethod | null
  bin: string | null
  cardLastFourDigits: string | null
  billingCountry: string | null
  /** The PSP's own order of facts about this dispute (sequence or update time in ms); null when it has none. */
  pspSequence: bigint | null
  /** Provider of an alert; absent when the PSP names none. */
  providerName?: AlertProvider
}

/** Facts that a PSP's transaction adds to a chargeback. Keys are the names of `POST /transactions` if it has one. */
export interface TransactionFacts {
  transactionId: string
  transactionCreatedDate: string | null
  arn: string | null
  cardScheme: CardScheme | null
  paymentMethod: PaymentMethod | null
  bin: string | null
  cardLastFourDigits: string | null
  billingCountry: string | null
  /** Data points by operation 1's names, and what the PSP proves (avsResult, refundId, …); read again when needed. */
  dataPoints: Record<string, string>
}
