import type { DisputePlan, ReasonWord, Situation } from '../engine/contract.ts'
import { cardReason, closedSituation, openSituation, plannedReason, plannedSituation } from '../engine/planned.ts'

/** Every (status, stage) of a dispute at Adyen: the last event of its history, with its disputeStatus. */
export const SITUATIONS: readonly Situation[] = [
  openSituation('NOTIFICATION_OF_CHARGEBACK/Undefended', 'chargeback', 'noc', ['card']),
  openSituation('REQUEST_FOR_INFORMATION/Unresponded', 'inquiry', 'rfi', ['rfi']),
  openSituation('PREARBITRATION_OPEN', 'second_chargeback', 'prearbitration', ['card']),
  openSituation('CHARGEBACK/Undefended', 'chargeback', 'debited', ['card']),
  openSituation('DISPUTE_OPENED_WITH_CHARGEBACK/Undefended', 'chargeback', 'opened', ['card']),
  closedSituation('NOTIFICATION_OF_FRAUD', 'not_applicable', 'alert', 'fraud', ['nof']),
  closedSituation('INFORMATION_SUPPLIED/Pending', 'under_review', 'chargeback', 'defended', ['card']),
  closedSituation('NOTIFICATION_OF_CHARGEBACK', 'under_review', 'chargeback', 'auto', ['card']),
  closedSituation('CHARGEBACK', 'under_review', 'chargeback', 'late_debit', ['card']),
  closedSituation('CHARGEBACK_REVERSED/Pending', 'under_review', 'chargeback', 'reversed_pending', ['card']),
  closedSituation('INFORMATION_SUPPLIED/Responded', 'under_review', 'inquiry', 'rfi_answered', ['rfi']),
  closedSituation('REQUEST_FOR_INFORMATION/Expired', 'not_applicable', 'inquiry', 'rfi_expired', ['rfi']),
  closedSituation('CHARGEBACK_REVERSED/Won', 'won', 'chargeback', 'reversed', ['card']),
  closedSituation('ISSUER_RESPONSE_TIMEFRAME_EXPIRED/Won', 'won', 'chargeback', 'issuer_silent', ['card']),
  closedSituation('DISPUTE_DEFENSE_PERIOD_ENDED/Lost', 'lost', 'chargeback', 'ended_lost', ['card']),
  closedSituation('DISPUTE_DEFENSE_PERIOD_ENDED/Accepted', 'lost', 'chargeback', 'ended_accepted', ['card']),
  closedSituation('DISPUTE_DEFENSE_PERIOD_ENDED/Undefended', 'lost', 'chargeback', 'ended_silent', ['card']),
  closedSituation('SECOND_CHARGEBACK/Lost', 'lost', 'second_chargeback', 'second', ['card']),
  closedSituation('PREARBITRATION_OPEN', 'under_review', 'second_chargeback', 'prearbitration_closed', ['card']),
  closedSituation('PREARBITRATION_DECLINED', 'under_review', 'second_chargeback', 'prearbitration_then', ['card']),
  closedSituation('PREARBITRATION_WON', 'won', 'second_chargeback', 'prearbitration_then', ['card']),
  closedSituation('PREARBITRATION_ISSUER_WITHDRAWN', 'won', 'second_chargeback', 'prearbitration_then', ['card']),
  closedSituation('PREARBITRATION_LOST', 'lost', 'second_chargeback', 'prearbitration_then', ['card']),
  closedSituation('PREARBITRATION_ACCEPTED', 'lost', 'second_chargeback', 'prearbitration_then', ['card']),
  closedSituation('SCHEME_ARBITRATION', 'under_review', 'third_chargeback', 'arbitration', ['card']),
  closedSituation('SCHEME_ARBITRATION_WON', 'won', 'third_chargeback', 'arbitration', ['card']),
  closedSituation('SCHEME_ARBITRATION_LOST', 'lost', 'third_chargeback', 'arbitration', ['card']),
]

/** Network reason codes with Adyen's text for them. */
export const REASONS: readonly ReasonWord[] = [
  cardReason('visa', '10.4', 'Other Fraud-Card Absent Environment'),
  cardReason('visa', '12.6.1', 'Duplicate Processing'),
  cardReason('visa', '13.1', 'Merchandise/Services Not Received'),
  cardReason('visa', '13.3', 'Not as Described or Defective Merchandise/Services'),
  cardReason('visa', '13.6', 'Credit Not Processed'),
  cardReason('mastercard', '4837', 'No Cardholder Authorisation'),
  cardReason('mastercard', '4834', 'Point-of-Interaction Error'),
  cardReason('mastercard', '4853', 'Cardholder Dispute'),
  cardReason('mastercard', '4855', 'Goods or Services Not Provided'),
  cardReason('amex', 'F29', 'Card Not Present'),
  cardReason('amex', 'C08', 'Goods/Services Not Received'),
  cardReason('discover', 'UA02', 'Fraud Card Not Present Transaction'),
  cardReason('diners', 'C31', 'Goods/Services Not as Described'),
  cardReason('jcb', '502', 'Cardmember Dispute'),
  cardReason('unionpay', '4544', 'Good or Service Cancelled'),
  { kind: 'rfi', scheme: 'visa', code: '33', word: 'Retrieval Request' },
  { kind: 'rfi', scheme: 'mastercard', code: '6341', word: 'Fraud Investigation' },
  { kind: 'nof', scheme: 'visa', code: '6', word: 'Fraudulent Use of Account Number' },
  { kind: 'nof', scheme: 'mastercard', code: '04', word: 'Counterfeit Card Fraud' },
]

/** Currencies with Adyen's digits: unlike ISO 4217, CLP and ISK have two, IDR none. */
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
  return plannedSituation(SITUATIONS, plan)
}

export function reasonOf(plan: DisputePlan): ReasonWord {
  return plannedReason(REASONS, plan)
}
