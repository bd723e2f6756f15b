import {
  CARD_SCHEMES,
  type ChargebackFacts,
  LIFECYCLE_STAGES,
  PAYMENT_METHODS,
  PSP_STATUSES,
  PSPS,
} from '../../domain/chargeback.ts'

/** The Recoup format uses the interface's own values, with their exact spelling. */

/** The fields of a chargeback that the service does not derive: the allowed fields of raw data. */
export const FIELDS = [
  'chargebackId',
  'psp',
  'currency',
  'amount',
  'postingDate',
  'transactionCreatedDate',
  'dueDate',
  'pspStatusChangeDate',
  'pspStatus',
  'lifecycleStage',
  'transactionId',
  'arn',
  'externalTransactionIdentifier',
  'merchantReferenceName',
  'reasonCode',
  'reason',
  'cardScheme',
  'paymentMethod',
  'bin',
  'cardLastFourDigits',
  'billingCountry',
  // For an alert: its provider.
  'providerName',
  // The sandbox PSP's own marks.
  'sandbox',
] as const

/** Fields of a chargeback that the service derives. */
export const DERIVED: readonly string[] = [
  'id',
  'referenceAccountId',
  'integrationId',
  'status',
  'enrichmentRatio',
  'winProbability',
  'roiRecommendation',
  'isEnriched',
]

/** Enumerations by field: the known values, and the substitute for an unknown one. */
export const WORDS = {
  psp: { words: PSPS, rest: 'other' },
  pspStatus: { words: PSP_STATUSES, rest: 'unknown' },
  lifecycleStage: { words: LIFECYCLE_STAGES, rest: 'other' },
  cardScheme: { words: CARD_SCHEMES, rest: 'other' },
  paymentMethod: { words: PAYMENT_METHODS, rest: 'other' },
} as const satisfies { [F in keyof ChargebackFacts]?: { words: readonly string[]; rest: string } }

export type WordField = keyof typeof WORDS

export function isKnown(field: WordField, word: string): boolean {
  return (WORDS[field].words as readonly string[]).includes(word)
}
