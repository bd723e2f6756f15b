import type { LifecycleStage, PspStatus } from '../../../domain/chargeback.ts'
import { type DisputeStatus, isDisputeEvent, isDisputeStatus } from '../vocabulary.ts'
import type { Item } from './items.ts'

/** The effect of one event, given the state so far. */
export interface Verdict {
  status: PspStatus | 'unchanged'
  stage: LifecycleStage | 'keep'
  final: boolean
  anomaly: string | null
}

interface Rule {
  /** Values of disputeStatus that the rule applies to; null = none, 'any' = all. */
  on: readonly (DisputeStatus | null)[] | 'any'
  flag?: (item: Item) => boolean
  status: PspStatus | 'unchanged'
  final?: true
}

interface EventRules {
  stage: LifecycleStage | 'keep'
  rules: readonly Rule[]
}

const flagged = (key: string, value: string) => (item: Item) => item.additional[key] === value

/** autoDefended is checked before `defendable`: Adyen's own example has autoDefended "true" and defendable "false". */
const OPENING: EventRules = {
  stage: 'chargeback',
  rules: [
    { on: ['Won'], status: 'won', final: true },
    { on: ['Accepted', 'Lost'], status: 'lost', final: true },
    { on: ['Pending'], status: 'under_review' },
    { on: 'any', flag: flagged('autoDefended', 'true'), status: 'under_review' },
    { on: ['Expired'], status: 'lost' },
    { on: ['Undefended', null], flag: flagged('defendable', 'false'), status: 'lost' },
    { on: ['Undefended', null], status: 'needs_response' },
  ],
}
const only = (stage: EventRules['stage'], status: Rule['status'], final = false): EventRules => ({
  stage,
  rules: [{ on: [null], status, ...(final && { final }) }],
})

const EVENTS: ReadonlyMap<string, EventRules> = new Map([
  ['NOTIFICATION_OF_FRAUD', { stage: 'alert', rules: [{ on: 'any', status: 'not_applicable' }] }],
  [
    'REQUEST_FOR_INFORMATION',
    {
      stage: 'inquiry',
      rules: [
        { on: ['Unresponded', null], status: 'needs_response' },
        { on: ['Responded'], status: 'under_review' },
        // Nothing is disputed yet and no money has moved.
        { on: ['Expired'], status: 'not_applicable', final: true },
      ],
    },
  ],
  ['NOTIFICATION_OF_CHARGEBACK', OPENING],
  ['CHARGEBACK', OPENING],
  ['DISPUTE_OPENED_WITH_CHARGEBACK', OPENING],
  ['INFORMATION_SUPPLIED', { stage: 'keep', rules: [{ on: 'any', status: 'under_review' }] }],
  ['ISSUER_COMMENTS', { stage: 'keep', rules: [{ on: 'any', status: 'unchanged' }] }],
  [
    'CHARGEBACK_REVERSED',
    {
      stage: 'chargeback',
      rules: [
        { on: ['Pending'], status: 'under_review' },
        // Provisional: the issuer can still escalate.
        { on: ['Won', null], status: 'won' },
      ],
    },
  ],
  ['ISSUER_RESPONSE_TIMEFRAME_EXPIRED', { stage: 'keep', rules: [{ on: ['Won', null], status: 'won', final: true }] }],
  ['SECOND_CHARGEBACK', { stage: 'second_chargeback', rules: [{ on: ['Lost', null], status: 'lost', final: true }] }],
  [
    'DISPUTE_DEFENSE_PERIOD_ENDED',
    {
      stage: 'keep',
      rules: [
        { on: ['Won'], status: 'won', final: true },
        { on: ['Lost', 'Accepted'], status: 'lost', final: true },
      ],
    },
  ],
  [
    'PREARBITRATION_OPEN',
    {
      stage: 'second_chargeback',
      rules: [
        { on: [null], flag: flagged('defendable', 'true'), status: 'needs_response' },
        { on: [null], status: 'under_review' },
      ],
    },
  ],
  ['PREARBITRATION_DECLINED', only('second_chargeback', 'under_review')],
  ['PREARBITRATION_WON', only('second_chargeback', 'won', true)],
  ['PREARBITRATION_ISSUER_WITHDRAWN', only('second_chargeback', 'won', true)],
  ['PREARBITRATION_LOST', only('second_chargeback', 'lost', true)],
  ['PREARBITRATION_ACCEPTED', only('second_chargeback', 'lost', true)],
  ['SCHEME_ARBITRATION', only('third_chargeback', 'under_review')],
  ['SCHEME_ARBITRATION_WON', only('third_chargeback', 'won', true)],
  ['SCHEME_ARBITRATION_LOST', only('third_chargeback', 'lost', true)],
] satisfies [string, EventRules][])

/** A known disputeStatus takes precedence over the event code, also for an event without a row. */
const WORDS: Readonly<Partial<Record<DisputeStatus, { status: PspStatus; final: boolean }>>> = {
  Unresponded: { status: 'needs_response', final: false },
  Undefended: { status: 'needs_response', final: false },
  Responded: { status: 'under_review', final: false },
  Pending: { status: 'under_review', final: false },
  Accepted: { status: 'lost', final: true },
  Lost: { status: 'lost', final: true },
  Won: { status: 'won', final: false },
}

/** Events whose code alone is an outcome, whatever an unknown disputeStatus says. */
const OUTSPOKEN = /^(PREARBITRATION_|SCHEME_ARBITRATION|NOTIFICATION_OF_FRAUD$|INFORMATION_SUPPLIED$|ISSUER_COMMENTS$)/

export interface KnownSoFar {
  pspStatus: PspStatus
  lifecycleStage: LifecycleStage
}

export function applyRules(item: Item, known: KnownSoFar, defenseSent: boolean): Verdict {
  const { eventCode, disputeStatus } = item
  const event = EVENTS.get(eventCode)
  if (!event || !isDisputeEvent(eventCode)) {
    return { status: 'unchanged', stage: 'keep', final: false, anomaly: `unknown event ${eventCode}` }
  }
  const word = disputeStatus === null ? null : isDisputeStatus(disputeStatus) ? disputeStatus : 'unknown'
  const anomaly = word === 'unknown' ? `unknown disputeStatus ${disputeStatus}` : null
  if (eventCode === 'DISPUTE_DEFENSE_PERIOD_ENDED' && (word === null || word === 'Undefended' || word === 'Expired')) {
    return { ...periodEnded(known, defenseSent), anomaly }
  }
  const { stage } = event
  const rule = event.rules.find(({ on, flag }) => matches(on, word) && (flag?.(item) ?? true))
  if (rule) return { status: rule.status, stage, final: rule.final === true, anomaly }
  const bare = event.rules.find(({ on, flag }) => matches(on, null) && (flag?.(item) ?? true))
  if (word === 'unknown' && !OUTSPOKEN.test(eventCode)) return { status: 'unknown', stage, final: false, anomaly }
  const said = word !== null && word !== 'unknown' ? WORDS[word] : undefined
  if (said)
    return { status: said.status, stage, final: said.final || (bare?.status === said.status && !!bare.final), anomaly }
  return { status: bare?.status ?? 'unchanged', stage, final: bare?.final === true, anomaly }
}

function matches(on: Rule['on'], word: DisputeStatus | 'unknown' | null): boolean {
  return on === 'any' || (word !== 'unknown' && on.includes(word))
}

/** The time to answer has passed: the outcome depends on whether somebody answered. */
function periodEnded(known: KnownSoFar, defenseSent: boolean): Omit<Verdict, 'anomaly'> {
  if (known.pspStatus === 'under_review' || known.pspStatus === 'won') {
    return { status: 'unchanged', stage: 'keep', final: false }
  }
  if (defenseSent) return { status: 'evidence_not_submitted_by_psp', stage: 'keep', final: true }
  const inquiry = known.lifecycleStage === 'inquiry'
  return { status: inquiry ? 'not_applicable' : 'lost', stage: 'keep', final: true }
}
