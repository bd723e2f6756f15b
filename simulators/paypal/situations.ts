import { CURRENCIES as ALL, currencyExponent } from '../../domain/money.ts'
import type { DisputePlan, ReasonWord, Situation } from '../engine/contract.ts'
import { plannedReason, plannedSituation } from '../engine/planned.ts'

/** What stands behind a word: PayPal's status, the seller's view of it, and the outcome where there is one. */
export const WORDS: Readonly<Record<string, { status: string; state?: string; outcome?: string }>> = {
  WAITING_FOR_SELLER_RESPONSE: { status: 'WAITING_FOR_SELLER_RESPONSE', state: 'REQUIRED_ACTION' },
  OPEN: { status: 'OPEN', state: 'OPEN_INQUIRIES' },
  WAITING_FOR_BUYER_RESPONSE: { status: 'WAITING_FOR_BUYER_RESPONSE', state: 'REQUIRED_OTHER_PARTY_ACTION' },
  UNDER_REVIEW: { status: 'UNDER_REVIEW', state: 'UNDER_PAYPAL_REVIEW' },
  APPEALABLE: { status: 'RESOLVED', state: 'APPEALABLE', outcome: 'RESOLVED_BUYER_FAVOUR' },
  OTHER: { status: 'OTHER' },
  ...Object.fromEntries(
    [
      'RESOLVED_SELLER_FAVOUR',
      'RESOLVED_BUYER_FAVOUR',
      'RESOLVED_WITH_PAYOUT',
      'CANCELED_BY_BUYER',
      'ACCEPTED',
      'DENIED',
      'NONE',
    ].map((outcome) => [outcome, { status: 'RESOLVED', state: 'RESOLVED', outcome }]),
  ),
}

const CARD = ['card']
const BALANCE = ['balance']
const WAITING = 'WAITING_FOR_SELLER_RESPONSE'

/** Every (status, stage) of a PayPal dispute. `variant`: life cycle stage, channel, and what else is special. */
export const SITUATIONS: readonly Situation[] = [
  situation(WAITING, 'needs_response', 'chargeback', 'CHARGEBACK EXTERNAL', CARD),
  situation(WAITING, 'needs_response', 'inquiry', 'INQUIRY INTERNAL', BALANCE),
  situation('OPEN', 'needs_response', 'inquiry', 'INQUIRY INTERNAL', BALANCE),
  situation(WAITING, 'needs_response', 'claim', 'CHARGEBACK INTERNAL', BALANCE),
  situation('UNDER_REVIEW', 'under_review', 'chargeback', 'CHARGEBACK EXTERNAL', CARD),
  situation('RESOLVED_SELLER_FAVOUR', 'won', 'chargeback', 'CHARGEBACK EXTERNAL', CARD),
  situation('RESOLVED_BUYER_FAVOUR', 'lost', 'chargeback', 'CHARGEBACK EXTERNAL', CARD),
  situation(WAITING, 'needs_response', 'second_chargeback', 'PRE_ARBITRATION EXTERNAL', CARD),
  situation(WAITING, 'needs_response', 'third_chargeback', 'ARBITRATION EXTERNAL', CARD),
  situation('WAITING_FOR_BUYER_RESPONSE', 'under_review', 'inquiry', 'INQUIRY INTERNAL', BALANCE),
  situation('UNDER_REVIEW', 'under_review', 'claim', 'CHARGEBACK INTERNAL', BALANCE),
  situation('UNDER_REVIEW', 'under_review', 'second_chargeback', 'PRE_ARBITRATION EXTERNAL', CARD),
  situation('UNDER_REVIEW', 'under_review', 'third_chargeback', 'ARBITRATION EXTERNAL', CARD),
  situation('UNDER_REVIEW', 'under_review', 'chargeback', 'CHARGEBACK EXTERNAL supporting', CARD),
  situation('OPEN', 'under_review', 'alert', 'CHARGEBACK ALERT', CARD),
  situation('RESOLVED_SELLER_FAVOUR', 'won', 'claim', 'CHARGEBACK INTERNAL', BALANCE),
  situation('RESOLVED_SELLER_FAVOUR', 'won', 'second_chargeback', 'PRE_ARBITRATION EXTERNAL', CARD),
  situation('RESOLVED_SELLER_FAVOUR', 'won', 'third_chargeback', 'ARBITRATION EXTERNAL', CARD),
  situation('RESOLVED_WITH_PAYOUT', 'won', 'claim', 'CHARGEBACK INTERNAL', BALANCE),
  situation('CANCELED_BY_BUYER', 'won', 'inquiry', 'INQUIRY INTERNAL', BALANCE),
  situation('DENIED', 'won', 'claim', 'CHARGEBACK INTERNAL', BALANCE),
  situation('RESOLVED_BUYER_FAVOUR', 'lost', 'inquiry', 'INQUIRY INTERNAL', BALANCE),
  situation('RESOLVED_BUYER_FAVOUR', 'lost', 'claim', 'CHARGEBACK INTERNAL', BALANCE),
  situation('RESOLVED_BUYER_FAVOUR', 'lost', 'second_chargeback', 'PRE_ARBITRATION EXTERNAL', CARD),
  situation('RESOLVED_BUYER_FAVOUR', 'lost', 'third_chargeback', 'ARBITRATION EXTERNAL', CARD),
  situation('RESOLVED_BUYER_FAVOUR', 'split', 'claim', 'CHARGEBACK INTERNAL split', BALANCE),
  situation('ACCEPTED', 'lost', 'claim', 'CHARGEBACK INTERNAL', BALANCE),
  situation('APPEALABLE', 'lost', 'claim', 'CHARGEBACK INTERNAL appeal', BALANCE),
  situation('NONE', 'not_applicable', 'inquiry', 'INQUIRY INTERNAL', BALANCE),
  situation('OTHER', 'unknown', 'other', '', BALANCE),
]

function situation(
  word: string,
  status: Situation['status'],
  stage: Situation['stage'],
  variant: string,
  reasonKinds: string[],
): Situation {
  return { word, status, stage, open: status === 'needs_response', variant, reasonKinds }
}

/** PayPal's own reasons, and the codes that card networks send with cases from outside. */
export const REASONS: readonly ReasonWord[] = [
  balance('MERCHANDISE_OR_SERVICE_NOT_RECEIVED'),
  balance('MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED'),
  balance('UNAUTHORISED'),
  balance('CREDIT_NOT_PROCESSED'),
  balance('DUPLICATE_TRANSACTION'),
  balance('INCORRECT_AMOUNT'),
  balance('PAYMENT_BY_OTHER_MEANS'),
  balance('CANCELED_RECURRING_BILLING'),
  balance('PROBLEM_WITH_REMITTANCE'),
  balance('OTHER'),
  card('10.4', 'UNAUTHORISED'),
  card('12.6.1', 'DUPLICATE_TRANSACTION'),
  card('13.1', 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED'),
  card('13.2', 'CANCELED_RECURRING_BILLING'),
  card('13.3', 'MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED'),
  card('13.6', 'CREDIT_NOT_PROCESSED'),
  card('4837', 'UNAUTHORISED'),
  card('4853', 'MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED'),
  card('4834', 'DUPLICATE_TRANSACTION'),
  card('F29', 'UNAUTHORISED'),
  card('C08', 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED'),
]

function balance(word: string): ReasonWord {
  return { kind: 'balance', scheme: null, code: null, word }
}
/** The scheme is left to the payment: a dispute of PayPal's names the network's code and not the network. */
function card(code: string, word: string): ReasonWord {
  return { kind: 'card', scheme: null, code, word }
}

const WEIGHTS: Readonly<Record<string, number>> = { USD: 40, EUR: 20, GBP: 15, JPY: 10, AUD: 5, TND: 3 }
export const CURRENCIES = ALL.map((code) => ({
  code,
  exponent: currencyExponent(code) ?? 2,
  weight: WEIGHTS[code] ?? 0,
})).sort((a, b) => b.weight - a.weight)

export function situationOf(plan: DisputePlan): Situation {
  return plannedSituation(SITUATIONS, plan)
}

export function reasonOf(plan: DisputePlan): ReasonWord {
  return plannedReason(REASONS, plan)
}
