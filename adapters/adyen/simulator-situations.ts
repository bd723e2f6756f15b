import type { DisputePlan, ReasonWord, Situation } from '../simulator/contract.ts'

/** Every (status, stage) in which a dispute at Adyen can be seen: the last event of its history, with its disputeStatus. */
export const SITUATIONS: readonly Situation[] = [
  open('NOTIFICATION_OF_CHARGEBACK/Undefended', 'chargeback', 'noc', ['card']),
  open('REQUEST_FOR_INFORMATION/Unresponded', 'inquiry', 'rfi', ['rfi']),
  open('PREARBITRATION_OPEN', 'second_chargeback', 'prearbitration', ['card']),
  open('CHARGEBACK/Undefended', 'chargeback', 'debited', ['card']),
  open('DISPUTE_OPENED_WITH_CHARGEBACK/Undefended', 'chargeback', 'opened', ['card']),
  settled('NOTIFICATION_OF_FRAUD', 'not_applicable', 'alert', 'fraud', ['nof']),
  settled('INFORMATION_SUPPLIED/Pending', 'under_review', 'chargeback', 'defended', ['card']),
  settled('NOTIFICATION_OF_CHARGEBACK', 'under_review', 'chargeback', 'auto', ['card']),
  settled('CHARGEBACK', 'under_review', 'chargeback', 'late_debit', ['card']),
  settled('CHARGEBACK_REVERSED/Pending', 'under_review', 'chargeback', 'reversed_pending', ['card']),
  settled('INFORMATION_SUPPLIED/Responded', 'under_review', 'inquiry', 'rfi_answered', ['rfi']),
  settled('REQUEST_FOR_INFORMATION/Expired', 'not_applicable', 'inquiry', 'rfi_expired', ['rfi']),
  settled('CHARGEBACK_REVERSED/Won', 'won', 'chargeback', 'reversed', ['card']),
  settled('ISSUER_RESPONSE_TIMEFRAME_EXPIRED/Won', 'won', 'chargeback', 'issuer_silent', ['card']),
  settled('DISPUTE_DEFENSE_PERIOD_ENDED/Lost', 'lost', 'chargeback', 'ended_lost', ['card']),
  settled('DISPUTE_DEFENSE_PERIOD_ENDED/Accepted', 'lost', 'chargeback', 'ended_accepted', ['card']),
  settled('DISPUTE_DEFENSE_PERIOD_ENDED/Undefended', 'lost', 'chargeback', 'ended_silent', ['card']),
  settled('SECOND_CHARGEBACK/Lost', 'lost', 'second_chargeback', 'second', ['card']),
  settled('PREARBITRATION_OPEN', 'under_review', 'second_chargeback', 'prearbitration_closed', ['card']),
  settled('PREARBITRATION_DECLINED', 'under_review', 'second_chargeback', 'prearbitration_then', ['card']),
  settled('PREARBITRATION_WON', 'won', 'second_chargeback', 'prearbitration_then', ['card']),
  settled('PREARBITRATION_ISSUER_WITHDRAWN', 'won', 'second_chargeback', 'prearbitration_then', ['card']),
  settled('PREARBITRATION_LOST', 'lost', 'second_chargeback', 'prearbitration_then', ['card']),
  settled('PREARBITRATION_ACCEPTED', 'lost', 'second_chargeback', 'prearbitration_then', ['card']),
  settled('SCHEME_ARBITRATION', 'under_review', 'third_chargeback', 'arbitration', ['card']),
  settled('SCHEME_ARBITRATION_WON', 'won', 'third_chargeback', 'arbitration', ['card']),
  settled('SCHEME_ARBITRATION_LOST', 'lost', 'third_chargeback', 'arbitration', ['card']),
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

/** Network reason codes with the text that Adyen sends beside them. */
export const REASONS: readonly ReasonWord[] = [
  card('visa', '10.4', 'Other Fraud-Card Absent Environment'),
  card('visa', '12.6.1', 'Duplicate Processing'),
  card('visa', '13.1', 'Merchandise/Services Not Received'),
  card('visa', '13.3', 'Not as Described or Defective Merchandise/Services'),
  card('visa', '13.6', 'Credit Not Processed'),
  card('mastercard', '4837', 'No Cardholder Authorisation'),
  card('mastercard', '4834', 'Point-of-Interaction Error'),
  card('mastercard', '4853', 'Cardholder Dispute'),
  card('mastercard', '4855', 'Goods or Services Not Provided'),
  card('amex', 'F29', 'Card Not Present'),
  card('amex', 'C08', 'Goods/Services Not Received'),
  card('discover', 'UA02', 'Fraud Card Not Present Transaction'),
  card('diners', 'C31', 'Goods/Services Not as Described'),
  card('jcb', '502', 'Cardmember Dispute'),
  card('unionpay', '4544', 'Good or Service Cancelled'),
  { kind: 'rfi', scheme: 'visa', code: '33', word: 'Retrieval Request' },
  { kind: 'rfi', scheme: 'mastercard', code: '6341', word: 'Fraud Investigation' },
  { kind: 'nof', scheme: 'visa', code: '6', word: 'Fraudulent Use of Account Number' },
  { kind: 'nof', scheme: 'mastercard', code: '04', word: 'Counterfeit Card Fraud' },
]

function card(scheme: ReasonWord['scheme'], code: string, word: string): ReasonWord {
  return { kind: 'card', scheme, code, word }
}

/** Currencies with the digits that Adyen counts: against ISO 4217 CLP and ISK have two, IDR none. */
export const CURRENCIES = [
  { code: 'EUR', exponent: 2, weight: 8 },
  { code: 'USD', exponent: 2, weight: 5 },
  { code: 'GBP', exponent: 2, weight: 3 },
  { code: 'JPY', exponent: 0, weight: 2 },
  { code: 'KRW', exponent: 0, weight: 1 },
  { code: 'IDR', exponent: 0, weight: 1 },
  { code: 'CLP', exponent: 2, weight: 1 },
  { code: 'ISK', exponent: 2, weight: 1 },
  { code: 'KWD', exponent: 3, weight: 1 },
  { code: 'BHD', exponent: 3, weight: 1 },
  { code: 'BRL', exponent: 2, weight: 1 },
  { code: 'MXN', exponent: 2, weight: 1 },
] as const

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
