import type { LifecycleStage, PspStatus } from '../../chargeback.ts'
import { isOverdue } from '../../deadlines.ts'
import type { IntegrationStatus } from '../../integration.ts'
import { minorToDecimal } from '../../money.ts'
import type { AnswerStages } from '../answer-stages.ts'
import type { PlayId } from '../playbooks/playbook.ts'
import type { AutomaticPolicy } from './automatic-policy.ts'

/** Why Recoup does not submit a package by itself. Codes are stable. */
export const BLOCKERS = [
  ...(['policy_manual', 'held', 'not_building', 'command_exists', 'client_file', 'no_package'] as const),
  ...(['package_stale', 'required_missing', 'completeness', 'contradiction', 'recommendation_accept'] as const),
  ...(['compliance', 'overdue', 'psp_not_answerable', 'integration_unusable', 'answered_elsewhere'] as const),
] as const
export type Blocker = (typeof BLOCKERS)[number]

/** Whether what blocks ends by itself, once the package is built. A refused one waits for data. */
export const isPassing = (blockedBy: readonly Blocker[], { built }: Pick<AutomaticFacts, 'built'>): boolean =>
  !built?.refused && blockedBy.every((code) => code === 'no_package' || code === 'package_stale')

/** What the decision about one chargeback depends on, as stored. */
export interface AutomaticFacts {
  status: string
  pspStatus: PspStatus
  lifecycleStage: LifecycleStage
  dueDate: Date | null
  currency: string
  amountMinor: bigint
  amountExponent: number
  shouldFight: boolean | null
  recommendation: string | null
  integrationStatus: IntegrationStatus
  held: boolean
  /** Any command of this round, a failed one included: somebody has decided, or has to. */
  hasCommand: boolean
  /** The dispute is being answered through another connection to the same PSP account, or was. */
  answeredElsewhere: boolean
  /** The client tries out a file of its own. */
  hasClientFile: boolean
  /** Its data has changed since the package was built. */
  stale: boolean
  /** The package of this round; null when there is none. */
  built: {
    /** There is no PDF: nothing that is known answers the claim. */
    refused: boolean
    play: PlayId
    completeness: number
    requiredMissing: number
    contradicted: boolean
    manualOnly: boolean
  } | null
}

/** Everything that prevents an automatic submission; empty: it may be submitted once its time has come. */
export function blockersOf(
  facts: AutomaticFacts,
  policy: AutomaticPolicy,
  contestStages: AnswerStages,
  now: Date,
): Blocker[] {
  const { built, dueDate } = facts
  const rules: Record<Blocker, boolean> = {
    policy_manual: policy.mode === 'manual' || !covers(policy, facts),
    held: facts.held,
    not_building: facts.status !== 'building_evidence',
    command_exists: facts.hasCommand,
    client_file: facts.hasClientFile,
    no_package: built === null || built.refused,
    package_stale: facts.stale,
    required_missing: built !== null && built.requiredMissing > 0,
    completeness: built !== null && built.completeness < policy.minCompleteness,
    contradiction: built?.contradicted ?? false,
    recommendation_accept: facts.recommendation === 'Accept' && facts.shouldFight !== true,
    compliance: built?.manualOnly ?? false,
    // Without a due date nobody knows when it would be too late.
    overdue: dueDate === null || isOverdue(dueDate, now),
    psp_not_answerable: facts.pspStatus !== 'needs_response' || !takes(contestStages, facts.lifecycleStage),
    integration_unusable: facts.integrationStatus !== 'SUCCESSFUL',
    answered_elsewhere: facts.answeredElsewhere,
  }
  return BLOCKERS.filter((code) => rules[code])
}

const takes = (stages: AnswerStages, stage: LifecycleStage) =>
  stages !== null && (stages === 'by_link' || stages.includes(stage))

function covers({ minAmount, plays }: AutomaticPolicy, facts: AutomaticFacts): boolean {
  const least = minAmount[facts.currency] ?? 0
  if (Number(minorToDecimal(facts.amountMinor, facts.amountExponent)) < least) return false
  return plays === null || facts.built === null || plays.includes(facts.built.play)
}
