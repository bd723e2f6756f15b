import type { CardScheme, LifecycleStage, ReasonGroup } from '../chargeback.ts'

/** Facts that decide cases, beyond single data points. The caller of `assess` says which are proven. */
export const EVIDENCE_SIGNALS = [
  'liability_shift',
  'compelling_evidence',
  'signed_delivery',
  'usage_after_purchase',
  'refund_proof',
  'policy_accepted',
] as const
export type EvidenceSignal = (typeof EVIDENCE_SIGNALS)[number]

/** Costs of contesting, in major units of one currency. */
export interface FightingCosts {
  /** Work and fees of one submission. */
  fighting: number
  /** What the next stage costs when a won case is escalated. */
  escalation: number
  /** Smallest amount worth contesting. */
  floor: number
}

export interface AssessmentParameters {
  /** Log-odds of winning a contested case, by reason group. */
  prior: Record<ReasonGroup, number>
  /** Added to the prior; missing schemes and stages add nothing. */
  scheme: Partial<Record<CardScheme, number>>
  stage: Partial<Record<LifecycleStage, number>>
  /** Log-odds of a complete set of data points, against none. */
  data: number
  signals: Record<EvidenceSignal, number>
  /** Weight of the model in closed cases; above 0. */
  modelCases: number
  /** Share of the amount lost to fees even after a win, 0 to 1. */
  feeShare: number
  /** Share of won cases that are escalated, 0 to 1. */
  escalationShare: number
  /** Costs by ISO 4217 code. There are no exchange rates: a missing currency counts as free of cost. */
  costs: Readonly<Record<string, FightingCosts>>
}

/**
 * Defaults until an account sets its own. The log-odds are estimates, not measurements (0 = even, -1.1 = one in four,
 * -0.4 = two in five); the calibration command compares them with closed cases.
 */
export const ASSESSMENT_DEFAULTS: AssessmentParameters = {
  prior: {
    fraud: -1.4,
    authorization: -1.2,
    processing_error: -0.6,
    consumer_dispute: -0.9,
    compliance: -1.6,
    general: -1,
  },
  scheme: { amex: -0.2, discover: 0.1, diners: 0.1 },
  stage: { inquiry: 0.5, claim: 0.2, second_chargeback: -0.6, third_chargeback: -1 },
  data: 1.2,
  signals: {
    liability_shift: 2,
    compelling_evidence: 1.8,
    signed_delivery: 1.2,
    usage_after_purchase: 1,
    refund_proof: 1.6,
    policy_accepted: 0.4,
  },
  modelCases: 20,
  feeShare: 0,
  escalationShare: 0.05,
  costs: {
    USD: { fighting: 15, escalation: 250, floor: 20 },
    EUR: { fighting: 15, escalation: 250, floor: 20 },
    GBP: { fighting: 12, escalation: 200, floor: 15 },
  },
}
