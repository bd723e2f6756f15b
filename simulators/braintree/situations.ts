import type { DisputePlan, ReasonWord, Situation } from '../engine/contract.ts'
import { cardReason, plannedReason, plannedSituation } from '../engine/planned.ts'

/** Every (status, stage) of a Braintree dispute; `variant` selects the details. */
export const SITUATIONS: readonly Situation[] = [
  situation('open', 'needs_response', 'chargeback', 'chargeback'),
  situation('open', 'needs_response', 'second_chargeback', 'pre_arbitration'),
  situation('open', 'needs_response', 'inquiry', 'retrieval'),
  situation('disputed', 'under_review', 'chargeback', 'chargeback'),
  situation('disputed', 'under_review', 'second_chargeback', 'pre_arbitration'),
  situation('disputed', 'under_review', 'inquiry', 'retrieval'),
  { ...situation('under_review', 'under_review', 'chargeback', 'alternative'), reasonKinds: ['paypal'] },
  situation('won', 'won', 'chargeback', 'chargeback'),
  situation('won', 'won', 'second_chargeback', 'pre_arbitration'),
  situation('won', 'split', 'chargeback', 'partial'),
  situation('lost', 'lost', 'chargeback', 'chargeback'),
  situation('lost', 'lost', 'second_chargeback', 'pre_arbitration'),
  situation('accepted', 'lost', 'chargeback', 'chargeback'),
  situation('accepted', 'lost', 'second_chargeback', 'pre_arbitration'),
  situation('accepted', 'lost', 'inquiry', 'retrieval'),
  situation('auto_accepted', 'lost', 'chargeback', 'chargeback'),
  situation('auto_accepted', 'lost', 'second_chargeback', 'pre_arbitration'),
  situation('auto_accepted', 'lost', 'alert', 'rdr'),
  situation('expired', 'lost', 'chargeback', 'chargeback'),
  situation('expired', 'evidence_not_submitted_by_psp', 'chargeback', 'staged'),
  situation('expired', 'lost', 'inquiry', 'retrieval'),
  situation('expired', 'not_applicable', 'inquiry', 'information'),
]

function situation(word: string, status: Situation['status'], stage: Situation['stage'], variant: string): Situation {
  return { word, status, stage, open: word === 'open', variant, reasonKinds: ['card'] }
}

/** Scheme codes in the catalogue's spelling, with Braintree's reason word. */
export const REASONS: readonly ReasonWord[] = [
  cardReason('visa', '10.4', 'fraud'),
  cardReason('visa', '10.3', 'fraud'),
  cardReason('visa', '83', 'fraud'),
  cardReason('visa', '12.5', 'transaction_amount_differs'),
  cardReason('visa', '12.6.1', 'duplicate'),
  cardReason('visa', '13.1', 'product_not_received'),
  cardReason('visa', '13.2', 'cancelled_recurring_transaction'),
  cardReason('visa', '13.3', 'product_unsatisfactory'),
  cardReason('visa', '13.6', 'credit_not_processed'),
  cardReason('mastercard', '4837', 'fraud'),
  cardReason('mastercard', '4853', 'product_unsatisfactory'),
  cardReason('mastercard', '4834', 'duplicate'),
  cardReason('mastercard', '4808', 'general'),
  cardReason('amex', 'F29', 'fraud'),
  cardReason('amex', 'C08', 'product_not_received'),
  cardReason('amex', 'C28', 'cancelled_recurring_transaction'),
  cardReason('discover', '7030', 'fraud'),
  cardReason('discover', 'UA02', 'fraud'),
  cardReason('discover', 'RG', 'product_not_received'),
  cardReason('discover', 'AA', 'not_recognized'),
  cardReason('diners', 'RM', 'product_unsatisfactory'),
  cardReason('jcb', '546', 'general'),
  cardReason('visa', '75', 'retrieval'),
  cardReason('mastercard', '4812', 'invalid_account'),
  { kind: 'paypal', scheme: null, code: null, word: 'product_not_received' },
  { kind: 'paypal', scheme: null, code: null, word: 'product_unsatisfactory' },
]

/** Braintree's spelling: Visa's conditions without dots (10.4 is 1040), Mastercard's last two digits. */
export function wireCode({ scheme, code }: ReasonWord): string | null {
  const visa = scheme === 'visa' ? /^(1\d)\.(\d)(?:\.(\d))?$/.exec(code ?? '') : null
  if (visa) return `${visa[1]}${visa[2]}${visa[3] ?? '0'}`
  return scheme === 'mastercard' ? (code?.slice(2) ?? null) : code
}

const NAMES: Readonly<Record<string, string>> = {
  visa: 'Visa',
  mastercard: 'MasterCard',
  amex: 'American Express',
  discover: 'Discover',
  diners: 'Diners Club',
  jcb: 'JCB',
}

/** Braintree's spelling of the network's name. */
export function cardType({ scheme }: ReasonWord): string | null {
  return NAMES[scheme ?? ''] ?? null
}

export const CURRENCIES = [
  { code: 'USD', exponent: 2, weight: 8 },
  { code: 'EUR', exponent: 2, weight: 4 },
  { code: 'GBP', exponent: 2, weight: 3 },
  { code: 'JPY', exponent: 0, weight: 2 },
  { code: 'KRW', exponent: 0, weight: 1 },
  { code: 'ISK', exponent: 0, weight: 1 },
  { code: 'KWD', exponent: 3, weight: 1 },
  { code: 'BHD', exponent: 3, weight: 1 },
  { code: 'CAD', exponent: 2, weight: 1 },
  { code: 'AUD', exponent: 2, weight: 1 },
  { code: 'MXN', exponent: 2, weight: 1 },
] as const

export function situationOf(plan: DisputePlan): Situation {
  return plannedSituation(SITUATIONS, plan)
}

export function reasonOf(plan: DisputePlan): ReasonWord {
  return plannedReason(REASONS, plan)
}
