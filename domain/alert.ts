import type { AlertProvider, CardScheme, ChargebackFacts, PaymentMethod, Psp } from './chargeback.ts'

/** Pre-chargeback alerts: early warnings before a chargeback is filed, and what a merchant reports about them. */

export const REFUND_STATES = ['refunded', 'not refunded', 'not settled'] as const
export type RefundState = (typeof REFUND_STATES)[number]

/** Words of the providers, then their codes. */
export const ALERT_OUTCOMES = [
  'resolved',
  'previously_refunded',
  'unresolved_dispute',
  'other',
  'stopped',
  'partially_stopped',
  'previously_cancelled',
  'missed',
  'notfound',
  'account_suspended',
  'in_progress',
  'shipper_contacted',
  '100',
  '101',
  '102',
  '130',
  '900',
  '901',
  '902',
  '940',
  '950',
  '951',
  '952',
  '953',
  '954',
  '955',
  '956',
  '957',
] as const
export type AlertOutcome = (typeof ALERT_OUTCOMES)[number]

/** What was done about an alert; at least one of `refunded` and `outcome` is there. */
export interface AlertReport {
  refunded: RefundState | null
  outcome: AlertOutcome | null
  comments: string | null
}

/**
 * What a report means beside the one in force: `first` there is none, `same` it was made before, `replaces` the one in
 * force was interim, `conflict` that one is final.
 */
export function compareReports(
  inForce: AlertReport | null,
  report: AlertReport,
): 'first' | 'same' | 'replaces' | 'conflict' {
  if (inForce === null) return 'first'
  const same = (['refunded', 'outcome', 'comments'] as const).every((name) => inForce[name] === report[name])
  if (same) return 'same'
  return isInterim(inForce) ? 'replaces' : 'conflict'
}

/** Work goes on: another report may follow. Every other outcome is final, also one without a word for it. */
export const isInterim = ({ outcome }: Pick<AlertReport, 'outcome'>): boolean =>
  outcome === 'in_progress' || outcome === 'shipper_contacted'

/** What an early warning says. Times are ISO 8601 UTC; absent facts are null. */
export interface AlertFacts {
  /** The source's identifier of the warning. */
  reference: string
  psp: Psp
  /** Null when the source does not say who raised it. */
  providerName: AlertProvider | null
  /** The amount in minor units of `currency` at `exponent` digits; null when the warning names none. */
  money: { currency: string; amountMinor: bigint; amountExponent: number } | null
  alertDate: string | null
  transactionId: string | null
  arn: string | null
  externalTransactionIdentifier: string | null
  reasonCode: string | null
  reason: string | null
  /** The issuer's word for the kind of fraud. */
  fraudType: string | null
  cardScheme: CardScheme | null
  paymentMethod: PaymentMethod | null
  bin: string | null
  cardLastFourDigits: string | null
}

/** An alert that a source gives in the shape of its disputes. */
export function alertOf(facts: ChargebackFacts): AlertFacts {
  const { currency, amountMinor, amountExponent } = facts
  return {
    reference: facts.chargebackId,
    psp: facts.psp,
    providerName: facts.providerName ?? null,
    money: { currency, amountMinor, amountExponent },
    alertDate: facts.postingDate,
    transactionId: facts.transactionId,
    arn: facts.arn,
    externalTransactionIdentifier: facts.externalTransactionIdentifier,
    reasonCode: facts.reasonCode,
    reason: facts.reason,
    fraudType: null,
    cardScheme: facts.cardScheme,
    paymentMethod: facts.paymentMethod,
    bin: facts.bin,
    cardLastFourDigits: facts.cardLastFourDigits,
  }
}
