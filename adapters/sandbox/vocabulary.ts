import {
  CARD_SCHEMES,
  type ChargebackFacts,
  LIFECYCLE_STAGES,
  PAYMENT_METHODS,
  PSP_STATUSES,
  PSPS,
} from '../../domain/chargeback.ts'

/** The Recoup shape speaks the interface's own words, exactly as it spells them. */

/** The fields of a chargeback that the service doesn't derive: all that raw data may hold. */
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
  // Of an alert: who raised it.
  'providerName',
  // The sandbox PSP's own marks.
  'sandbox',
] as const

/** Fields of a chargeback that the service finds out by itself. */
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

/** Enumerations by field: the words, and what stands for one that is not among them. */
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
