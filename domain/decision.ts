import { accountSettings } from './accounts/account-settings.ts'
import { type Assessment, type AssessmentInput, assess } from './assessment/assess.ts'
import { assessmentParameters } from './assessment/settings.ts'
import type {
  CardScheme,
  LifecycleStage,
  PaymentMethod,
  PspStatus,
  ReasonGroup,
  RoiRecommendation,
  Status,
} from './chargeback.ts'
import { latestReadingHours } from './deadlines.ts'
import { enrichmentRatio } from './enrichment.ts'
import { type Deactivation, decideStatus, isDeactivated } from './handling.ts'
import { outOfScope, type ScopeDimension, type ScopeRules } from './scope.ts'

/** Settings of integration, merchant and account for handling chargebacks. */
export interface Terms {
  goLiveDate: Date | null
  /** Nothing is live until the operator sets a date. */
  goLiveWaits: boolean
  integrationDeactivation: Deactivation | null
  merchantDeactivation: Deactivation | null
  /** The account's own settings; see account-settings. */
  settings: Readonly<Record<string, unknown>>
  /** Current version of the out-of-scope rules; null when none was ever saved. */
  scope: { version: number; rules: ScopeRules } | null
}

/** The previous decision about a chargeback, and the commands of its round. */
export interface Decided {
  status: string
  statusReason: string
  pspStatus: string
  lifecycleStage: string
  round: number
  shouldFight: boolean | null
  /** Whether an acceptance or an evidence submission of the round succeeded. */
  accepted: boolean
  submitted: boolean
  /** The command in progress. */
  atWork: 'acceptance' | 'evidence_submission' | null
  winProbability: number | null
  recommendation: string | null
}

/** Facts that the rules use. */
export interface Subject {
  /** The PSP that set the due date. */
  psp?: string
  pspStatus: PspStatus
  lifecycleStage: LifecycleStage
  postingDate: Date | null
  dueDate: Date | null
  reasonGroup: ReasonGroup
  reasonCode: string | null
  cardScheme: CardScheme | null
  paymentMethod: PaymentMethod | null
  currency: string
  amountMinor: bigint
  amountExponent: number
  /** Names of the known data points and facts. */
  present: readonly string[]
  /** The merchant's own closed cases of this kind. */
  closedCases?: AssessmentInput['closedCases']
  signals?: NonNullable<AssessmentInput['signals']>
}

/** Whether the chargeback would be represented, apart from dates and the PSP, and the reason. */
export type ScopeDecision =
  | { by: 'should_fight'; inScope: boolean }
  | { by: 'scope_rule'; inScope: false; version: number; dimension: ScopeDimension; value: string }
  | { by: 'contract'; inScope: boolean }

/** Stored form: null when the account setting `represent` is on. */
export const storedScope = (scope: ScopeDecision): ScopeDecision | null =>
  scope.by === 'contract' && scope.inScope ? null : scope

export interface Decision {
  status: Status
  /** A sentence; the same for the same situation. */
  reason: string
  round: number
  scope: ScopeDecision
  /** 0 to 1. */
  enrichmentRatio: number
  /** Percent; null when it can't be contested. */
  winProbability: number | null
  recommendation: RoiRecommendation | null
}

/**
 * Decides everything about a chargeback by one rule for all callers: ingestion, enrichment, the clock, clients and
 * changed rules. Pure and repeatable. Win probability and recommendation are frozen once evidence is being submitted.
 * @param before null for a new chargeback
 */
export function decideChargeback(terms: Terms, subject: Subject, before: Decided | null, now: Date): Decision {
  const handling = decideHandling(terms, subject, before, now)
  return { ...handling, ...chance(terms, subject, before, handling, now) }
}

/** The decision without win probability and recommendation, on which nothing else depends. */
export function decideHandling(
  terms: Terms,
  subject: Subject,
  before: Decided | null,
  now: Date,
): Omit<Decision, 'winProbability' | 'recommendation'> {
  const settings = accountSettings(terms.settings)
  const ratio = enrichmentRatio(subject.reasonGroup, subject.present)
  const scope = scopeOf(terms.scope, subject, before?.shouldFight ?? null, settings.represent)
  const handling = decideStatus({
    ...subject,
    now,
    current: before && {
      ...before,
      status: before.status as Status,
      pspStatus: before.pspStatus as PspStatus,
      lifecycleStage: before.lifecycleStage as LifecycleStage,
    },
    enrichmentRatio: ratio,
    shouldFight: before?.shouldFight ?? null,
    accepted: before?.accepted ?? false,
    submitted: before?.submitted ?? false,
    atWork: before?.atWork ?? null,
    outOfScope: scope.by === 'scope_rule' ? sentence(scope) : null,
    live: { goLiveDate: terms.goLiveDate, waits: terms.goLiveWaits },
    deactivation:
      [terms.integrationDeactivation, terms.merchantDeactivation].find(
        (one) => one && isDeactivated(one, { ...subject, now }),
      ) ?? null,
    represent: settings.represent,
    threshold: settings.enrichmentThreshold,
    dataWindowHours: settings.dataWindowHours + latestReadingHours(subject.psp),
  })
  return { ...handling, scope, enrichmentRatio: ratio }
}

const sentence = ({ version, dimension, value }: { version: number; dimension: string; value: string }) =>
  `It is out of scope: ${dimension} ${value}, by version ${version} of the integration's rules.`

/** The rule that a reason names, of any version; null when it names none. */
export function ruleInReason(reason: string): { dimension: ScopeDimension; value: string } | null {
  const found = /^It is out of scope: (\w+) (.*), by version \d+ of the integration's rules\.$/s.exec(reason)
  return found && { dimension: found[1] as ScopeDimension, value: found[2] as string }
}

/** An explicit decision overrides the rules both ways; the rules override the account setting. */
function scopeOf(
  scope: Terms['scope'],
  subject: Subject,
  shouldFight: boolean | null,
  represent: boolean,
): ScopeDecision {
  if (shouldFight !== null) return { by: 'should_fight', inScope: shouldFight }
  const rule = scope && outOfScope(scope.rules, subject)
  if (scope && rule) return { by: 'scope_rule', inScope: false, version: scope.version, ...rule }
  return { by: 'contract', inScope: represent }
}

/** Computed for an open chargeback; unchanged while evidence is being submitted. */
function chance(
  terms: Terms,
  subject: Subject,
  before: Decided | null,
  handling: { status: Status; round: number },
  now: Date,
): Pick<Decision, 'winProbability' | 'recommendation'> {
  const sameRound = before !== null && before.round === handling.round
  if (sameRound && (before.submitted || before.atWork === 'evidence_submission'))
    return {
      winProbability: before.winProbability,
      recommendation: before.recommendation as RoiRecommendation | null,
    }
  const open = handling.status === 'waiting_for_data' || handling.status === 'building_evidence'
  const closedCases = subject.closedCases ?? { won: 0, lost: 0 }
  const dataWindowHours = accountSettings(terms.settings).dataWindowHours + latestReadingHours(subject.psp)
  const parameters = assessmentParameters(terms.settings)
  const judged: Assessment | null = open ? assess({ ...subject, closedCases, dataWindowHours, now, parameters }) : null
  return { winProbability: judged?.winProbability ?? null, recommendation: judged?.recommendation ?? null }
}
