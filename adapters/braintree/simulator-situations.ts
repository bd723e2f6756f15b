import type { DisputePlan, ReasonWord, Situation } from '../simulator/contract.ts'

/** Every (status, stage) in which a Braintree dispute can be seen; `variant` tells the builder what stands behind it. */
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

/** Scheme codes in the catalogue's spelling, with the word that Braintree files them under. */
export const REASONS: readonly ReasonWord[] = [
  card('visa', '10.4', 'fraud'),
  card('visa', '10.3', 'fraud'),
  card('visa', '83', 'fraud'),
  card('visa', '12.5', 'transaction_amount_differs'),
  card('visa', '12.6.1', 'duplicate'),
  card('visa', '13.1', 'product_not_received'),
  card('visa', '13.2', 'cancelled_recurring_transaction'),
  card('visa', '13.3', 'product_unsatisfactory'),
  card('visa', '13.6', 'credit_not_processed'),
  card('mastercard', '4837', 'fraud'),
  card('mastercard', '4853', 'product_unsatisfactory'),
  card('mastercard', '4834', 'duplicate'),
  card('mastercard', '4808', 'general'),
  card('amex', 'F29', 'fraud'),
  card('amex', 'C08', 'product_not_received'),
  card('amex', 'C28', 'cancelled_recurring_transaction'),
  card('discover', '7030', 'fraud'),
  card('discover', 'UA02', 'fraud'),
  card('discover', 'RG', 'product_not_received'),
  card('discover', 'AA', 'not_recognized'),
  card('diners', 'RM', 'product_unsatisfactory'),
  card('jcb', '546', 'general'),
  card('visa', '75', 'retrieval'),
  card('mastercard', '4812', 'invalid_account'),
  { kind: 'paypal', scheme: null, code: null, word: 'product_not_received' },
  { kind: 'paypal', scheme: null, code: null, word: 'product_unsatisfactory' },
]

function card(scheme: ReasonWord['scheme'], code: string, word: string): ReasonWord {
  return { kind: 'card', scheme, code, word }
}

/** As Braintree writes it: Visa's conditions without dots (10.4 is 1040), Mastercard's by their last two digits. */
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

/** The network's name as Braintree spells it. */
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
  const found = SITUATIONS[plan.situation]
  if (!found) throw new Error(`no situation ${plan.situation}`)
  return found
}

export function reasonOf(plan: DisputePlan): ReasonWord {
  const found = REASONS[plan.reason]
  if (!found) throw new Error(`no reason ${plan.reason}`)
  return found
}
