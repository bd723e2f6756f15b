import type { CardScheme, LifecycleStage, PspStatus, ReasonGroup, RoiRecommendation } from '../chargeback.ts'
import { dataWindowClosed, isOverdue } from '../deadlines.ts'
import { enrichmentRatio } from '../enrichment.ts'
import { minorToDecimal } from '../money.ts'
import { ASSESSMENT_DEFAULTS, type AssessmentParameters, EVIDENCE_SIGNALS, type EvidenceSignal } from './defaults.ts'

export interface AssessmentInput {
  now: Date
  pspStatus: PspStatus
  dueDate: Date | null
  lifecycleStage: LifecycleStage
  reasonGroup: ReasonGroup
  cardScheme: CardScheme | null
  /** ISO 4217. */
  currency: string
  amountMinor: bigint
  amountExponent: number
  /** Names of the known data points and facts. */
  present: ReadonlySet<string> | readonly string[]
  signals?: readonly EvidenceSignal[]
  /** The merchant's own closed cases of this kind; zeros when there are none. */
  closedCases: { won: number; lost: number }
  parameters?: AssessmentParameters
  /** Hours before the due date at which the data window closes; default 72. */
  dataWindowHours?: number
}

export interface Assessment {
  /** Percent, one decimal, 0 to 100. */
  winProbability: number
  recommendation: RoiRecommendation
  /** Contributions to the probability, in the order applied; effects are percentage points and add up to it. */
  reasons: { name: string; effect: number }[]
}

/**
 * Win probability, and whether contesting pays (docs/interface.md#assessment). Log-odds of reason group, scheme, stage
 * and evidence, then Beta-binomial shrinkage: the model counts as `modelCases` cases next to the merchant's own. While
 * the due date is far, missing data is no reason to accept: the recommendation then uses the best probability that
 * complete data would give. Advisory only.
 * @returns null when the chargeback can't be contested any more
 */
export function assess(input: AssessmentInput): Assessment | null {
  if (input.pspStatus !== 'needs_response' || isOverdue(input.dueDate, input.now)) return null
  const parameters = input.parameters ?? ASSESSMENT_DEFAULTS
  const ratio = enrichmentRatio(input.reasonGroup, input.present)
  const steps = logOddsSteps(input, parameters, ratio)

  const reasons: Assessment['reasons'] = []
  let logOdds = 0
  let before = 0
  for (const [name, weight] of steps) {
    logOdds += weight
    before = explain(reasons, name, before, logistic(logOdds))
  }
  const probability = explain(reasons, 'own_closed_cases', before, shrink(before, input, parameters))

  const attainable = dataWindowClosed(input.dueDate, input.now, input.dataWindowHours)
    ? probability
    : shrink(logistic(logOdds + parameters.data * (1 - ratio)), input, parameters)
  return {
    winProbability: points(probability),
    recommendation: paysToFight(input, parameters, attainable) ? 'Fight' : 'Accept',
    reasons,
  }
}

function logOddsSteps(input: AssessmentInput, parameters: AssessmentParameters, ratio: number): [string, number][] {
  const signals = EVIDENCE_SIGNALS.filter((signal) => input.signals?.includes(signal))
  return [
    [`reason_group:${input.reasonGroup}`, parameters.prior[input.reasonGroup]],
    [`card_scheme:${input.cardScheme}`, (input.cardScheme && parameters.scheme[input.cardScheme]) || 0],
    [`lifecycle_stage:${input.lifecycleStage}`, parameters.stage[input.lifecycleStage] ?? 0],
    ['data_points', parameters.data * ratio],
    ...signals.map((signal): [string, number] => [signal, parameters.signals[signal]]),
  ]
}

/** Records the effect of one step, in displayed points, so that the effects add up to the displayed probability. */
function explain(reasons: Assessment['reasons'], name: string, before: number, after: number): number {
  const effect = Math.round((points(after) - points(before)) * 10) / 10
  if (effect !== 0) reasons.push({ name, effect })
  return after
}

function shrink(probability: number, { closedCases }: AssessmentInput, { modelCases }: AssessmentParameters): number {
  const { won, lost } = closedCases
  return (probability * modelCases + won) / (modelCases + won + lost)
}

function paysToFight(input: AssessmentInput, parameters: AssessmentParameters, probability: number): boolean {
  const amount = Number(minorToDecimal(input.amountMinor, input.amountExponent))
  const costs = parameters.costs[input.currency] ?? { fighting: 0, escalation: 0, floor: 0 }
  const expected = probability * amount * (1 - parameters.feeShare)
  const escalation = probability * parameters.escalationShare * costs.escalation
  return expected - costs.fighting - escalation > 0 && amount >= costs.floor
}

function logistic(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds))
}

function points(probability: number): number {
  return Math.round(probability * 1000) / 10
}
