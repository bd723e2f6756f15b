import { accountSettings, allowedDataPoints } from '../accounts/account-settings.ts'
import type { RoiRecommendation, Status } from '../chargeback.ts'
import { SERVICE_OWNED } from '../data-points.ts'
import { isOverdue, latestReadingHours } from '../deadlines.ts'
import type { ScopeDecision } from '../decision.ts'
import { missingDataPoints } from '../enrichment.ts'
import { TRANSACTION_FIELDS } from '../transaction-record.ts'
import { type Assessment, type AssessmentInput, assess } from './assess.ts'
import type { CompellingEvidence } from './compelling-evidence.ts'
import { assessmentParameters } from './settings.ts'

/** Stored data of a chargeback that explains its assessment. */
export interface Assessed extends Omit<AssessmentInput, 'parameters' | 'dataWindowHours'> {
  /** The PSP that set the due date. */
  psp?: string
  status: Status
  statusReason: string
  /** The value that clients read; null when there is none. */
  winProbability: number | null
  recommendation: RoiRecommendation | null
  /** Null: the account setting `represent` applies. */
  scope: ScopeDecision | null
  /** The account's own settings. */
  settings: Readonly<Record<string, unknown>>
  /** Whether it has an identifier by which a transaction record can join. */
  joinable: boolean
  /** Data points that would answer the claim and are not there, most useful first. */
  claimMissing: readonly string[]
  compellingEvidence: CompellingEvidence
}

export interface Explanation {
  winProbability: number | null
  recommendation: RoiRecommendation | null
  why: string
  /** Effects are percentage points, in the order applied; they add up to the probability. */
  reasons: { name: string; effect: number; why: string }[]
  /** Most useful first. */
  missingDataPoints: string[]
  compellingEvidence: CompellingEvidence
  scope: ScopeDecision & { why: string }
  deadline: {
    state: 'open' | 'data_window_closed' | 'overdue' | 'none'
    dueDate: Date | null
    /** From then on evidence is built from the data present. */
    dataWindowEnds: Date | null
    why: string
  }
  handling: { status: Status; why: string }
}

const HOUR_MS = 3_600_000

/** Pure: explains the decisions about a chargeback. */
export function explainChargeback(chargeback: Assessed): Explanation {
  const { status, statusReason, winProbability, recommendation } = chargeback
  const dataWindowHours = accountSettings(chargeback.settings).dataWindowHours + latestReadingHours(chargeback.psp)
  const open = status === 'waiting_for_data' || status === 'building_evidence'
  const parameters = assessmentParameters(chargeback.settings)
  const judged = open ? assess({ ...chargeback, dataWindowHours, parameters }) : null
  return {
    winProbability,
    recommendation,
    why: whyChance(chargeback, judged),
    reasons: winProbability === null || !judged ? [] : reasonsFor(judged, winProbability),
    missingDataPoints: [
      ...new Set([...missingDataPoints(chargeback.reasonGroup, chargeback.present), ...chargeback.claimMissing]),
    ].filter((name) => canSet(name, chargeback)),
    compellingEvidence: chargeback.compellingEvidence,
    scope: scopeOf(chargeback.scope),
    deadline: deadlineOf(chargeback, dataWindowHours),
    handling: { status, why: statusReason },
  }
}

/**
 * Names for operation 4, or for operation 1 if a transaction record can join.
 */
function canSet(name: string, { joinable, settings }: Assessed): boolean {
  const listed = allowedDataPoints(settings)
  const byRecord = joinable && TRANSACTION_FIELDS.some((field) => field === name)
  return byRecord || (!SERVICE_OWNED.has(name) && (listed === null || listed.includes(name)))
}

function whyChance({ winProbability, recommendation, statusReason }: Assessed, judged: Assessment | null): string {
  if (winProbability === null) return `There is no chance to tell. ${statusReason}`
  if (!judged) return 'As it was when evidence was submitted.'
  return recommendation === 'Fight'
    ? 'An answer is expected to bring more than it costs.'
    : 'An answer is expected to cost more than it brings, or the amount is too small for one.'
}

/**
 * The stored probability changes only with the chargeback, but closed cases and time change continuously: the last
 * entry shows the difference.
 */
function reasonsFor(judged: Assessment, winProbability: number): Explanation['reasons'] {
  const reasons = judged.reasons.map((reason) => ({ ...reason, why: whyReason(reason.name) }))
  const since = Math.round((winProbability - judged.winProbability) * 10) / 10
  if (since !== 0) reasons.push({ name: 'not_computed_since', effect: since, why: WHY.not_computed_since as string })
  return reasons
}

const WHY: Readonly<Record<string, string>> = {
  data_points: 'The share of the data asked for that is there.',
  own_closed_cases: 'How your own closed cases of this reason group ended.',
  liability_shift: 'The issuer is liable for the payment.',
  compelling_evidence: 'Earlier undisputed purchases identify the customer.',
  signed_delivery: 'The delivery was signed for.',
  usage_after_purchase: 'What was bought was used afterwards.',
  refund_proof: 'A refund was given already.',
  policy_accepted: 'The customer accepted the policy.',
  not_computed_since: 'More cases were closed since it was computed; the next change of the chargeback counts them in.',
}

function whyReason(name: string): string {
  const [kind = '', value = ''] = name.split(':')
  if (kind === 'reason_group') return `Where answers to ${value.replaceAll('_', ' ')} disputes start.`
  if (kind === 'card_scheme') return `How ${value} decides.`
  if (kind === 'lifecycle_stage') return `How far the case has gone: ${value.replaceAll('_', ' ')}.`
  return WHY[name] ?? name
}

function scopeOf(decision: ScopeDecision | null): Explanation['scope'] {
  const scope = decision ?? { by: 'contract' as const, inScope: true }
  if (scope.by === 'should_fight')
    return { ...scope, why: `The client decided ${scope.inScope ? '' : 'not '}to fight, whatever the rules say.` }
  if (scope.by === 'scope_rule')
    return {
      ...scope,
      why: `The integration's rules, version ${scope.version}, leave out ${scope.dimension} ${scope.value}.`,
    }
  return { ...scope, why: `The contract ${scope.inScope ? 'represents' : 'does not represent'} it by default.` }
}

function deadlineOf({ dueDate, now, pspStatus }: Assessed, dataWindowHours: number): Explanation['deadline'] {
  const dataWindowEnds = dueDate && new Date(dueDate.getTime() - dataWindowHours * HOUR_MS)
  const known = { dueDate, dataWindowEnds }
  if (pspStatus !== 'needs_response') return { state: 'none', ...known, why: 'The PSP does not ask for an answer now.' }
  if (!dueDate || !dataWindowEnds)
    return { state: 'none', ...known, why: 'Neither the PSP nor the scheme names a date.' }
  if (isOverdue(dueDate, now)) return { state: 'overdue', ...known, why: 'The due date passed.' }
  if (now >= dataWindowEnds)
    return {
      state: 'data_window_closed',
      ...known,
      why: 'The due date is near: evidence is built with the data at hand.',
    }
  return { state: 'open', ...known, why: 'There is time to collect more data.' }
}
