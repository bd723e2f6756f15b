import type { AlertProvider, CardScheme, ChargebackFacts, PaymentMethod, Psp } from './chargeback.ts'

/** Pre-chargeback alerts: early warnings before a chargeback is filed, and what a merchant reports about them. */

export const REFUND_STATES = ['refunded', 'not refunded', 'not settled'] as const
export type RefundState = (typeof REFUND_STATES)[number]

/** Outcomes by name, then the providers' codes. */
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

/** Report of an alert's outcome; at least one of `refunded` and `outcome` is set. */
export interface AlertReport {
  refunded: RefundState | null
  outcome: AlertOutcome | null
  comments: string | null
}

/**
 * Relation of a report to the current one: `first` there is none, `same` it repeats it, `replaces` the current one is
 * interim, `conflict` the current one is final.
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

/** Interim outcomes may be followed by another report. Every other outcome is final, also an unknown one. */
export const isInterim = ({ outcome }: Pick<AlertReport, 'outcome'>): boolean =>
  outcome === 'in_progress' || outcome === 'shipper_contacted'

/** Facts of an early warning. Times are ISO 8601 UTC; absent facts are null. */
export interface AlertFacts {
  /** The source's identifier of the warning. */
  reference: string
  psp: Psp
  /** Null when the source names no provider. */
  providerName: AlertProvider | null
  /** The amount in minor units of `currency` at `exponent` digits; null when the warning has none. */
  money: { currency: string; amountMinor: bigint; amountExponent: number } | null
  alertDate: string | null
  transactionId: string | null
  arn: string | null
  externalTransactionIdentifier: string | null
  reasonCode: string | null
  reason: string | null
  /** The issuer's name for the kind of fraud. */
  fraudType: string | null
  cardScheme: CardScheme | null
  paymentMethod: PaymentMethod | null
  bin: string | null
  cardLastFourDigits: string | null
}

/** An alert that a source delivers in the format of its disputes. */
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
