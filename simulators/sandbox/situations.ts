import { TWO_DOCUMENTS } from '../../adapters/sandbox/evidence-limits.ts'
import { ANSWERABLE_STAGES } from '../../adapters/sandbox/rules.ts'
import type { LifecycleStage, PspStatus } from '../../domain/chargeback.ts'
import type { DisputePlan, ReasonWord, Situation } from '../engine/contract.ts'
import { cardReason, plannedReason, plannedSituation } from '../engine/planned.ts'

const STAGES: readonly LifecycleStage[] = [...ANSWERABLE_STAGES, 'alert', 'other']

/** Every (status, stage) that a sandbox chargeback can be seen in; its word is the interface's own. */
export const SITUATIONS: readonly Situation[] = [
  ...STAGES.map((stage) => situation('needs_response', stage)),
  ...ANSWERABLE_STAGES.flatMap((stage) => [
    situation('under_review', stage),
    situation('won', stage),
    situation('lost', stage),
  ]),
  situation('split', 'chargeback'),
  situation('split', 'second_chargeback'),
  situation('evidence_not_submitted_by_psp', 'chargeback'),
  situation('not_applicable', 'inquiry'),
  situation('not_applicable', 'alert'),
]

function situation(word: PspStatus, stage: LifecycleStage): Situation {
  const kinds = stage === 'chargeback' || stage === 'claim' ? ['card', 'wallet'] : ['card']
  return { word, status: word, stage, open: word === 'needs_response', variant: stage, reasonKinds: kinds }
}

export const REASONS: readonly ReasonWord[] = [
  cardReason('visa', '10.4', 'fraudulent'),
  cardReason('visa', '11.3', 'no_authorization'),
  cardReason('visa', '12.6.1', 'duplicate'),
  cardReason('visa', '13.1', 'product_not_received'),
  cardReason('visa', '13.7', 'canceled'),
  cardReason('mastercard', '4837', 'no_cardholder_authorization'),
  cardReason('mastercard', '4834', 'point_of_interaction_error'),
  cardReason('mastercard', '4853', 'cardholder_dispute'),
  cardReason('amex', 'F29', 'card_not_present'),
  cardReason('amex', 'C08', 'goods_not_received'),
  cardReason('discover', 'UA02', 'fraud_card_not_present'),
  cardReason('discover', 'RG', 'merchandise_not_received'),
  cardReason('diners', 'RM', 'quality_discrepancy'),
  { ...cardReason('visa', '13.1', TWO_DOCUMENTS), special: true },
  { kind: 'wallet', scheme: null, code: null, word: 'merchandise_or_service_not_received' },
  { kind: 'wallet', scheme: null, code: null, word: 'unauthorised' },
]

/** One of each number of digits that ISO 4217 has, weighted towards what merchants see. */
export const CURRENCIES = [
  { code: 'USD', exponent: 2, weight: 6 },
  { code: 'EUR', exponent: 2, weight: 4 },
  { code: 'GBP', exponent: 2, weight: 2 },
  { code: 'JPY', exponent: 0, weight: 2 },
  { code: 'ISK', exponent: 0, weight: 1 },
  { code: 'KWD', exponent: 3, weight: 1 },
] as const

export function situationOf(plan: DisputePlan): Situation {
  return plannedSituation(SITUATIONS, plan)
}

export function reasonOf(plan: DisputePlan): ReasonWord {
  return plannedReason(REASONS, plan)
}
