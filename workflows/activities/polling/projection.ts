import { v7 } from 'uuid'
import type { ClosedCasesOf } from '../../../db/chargebacks/closed-cases.ts'
import { WRITTEN, type WrittenName } from '../../../db/chargebacks/column-sql.ts'
import type { Connection } from '../../../db/integrations/connections.ts'
import type { ChargebackColumns, StoredChargeback, TimelineEntry } from '../../../db/polling/page.ts'
import type { ChargebackFacts, PaymentMethod } from '../../../domain/chargeback.ts'
import { dueDateOf } from '../../../domain/deadlines.ts'
import { decideChargeback, storedScope } from '../../../domain/decision.ts'
import { presentFacts } from '../../../domain/enrichment.ts'
import { isNewer } from '../../../domain/psp-facts.ts'
import { reasonGroupOf } from '../../../domain/reason-codes.ts'
import { rereadAfter } from '../../../domain/reread.ts'
import { timelineEntries } from './timeline.ts'

export interface Reading {
  facts: ChargebackFacts
  anomalies: string[]
  stored: StoredChargeback | null
  connection: Connection
  closedCases: ClosedCasesOf
  /** The PSP account that it was read from. */
  account: string
  /** The account that the dispute belongs to, see `disputeAccount`. */
  pspAccount: string
  hash: Buffer
  /** When the request for the object was sent. */
  readAt: Date
  now: Date
  translationVersion: number
  /** Whether notifications are the only source, because the PSP can't be read. */
  inboxOnly?: boolean
  /** Whether it was read to confirm an acceptance by Recoup, and confirms it. */
  accepted?: boolean
}

/**
 * Pure: merges a PSP's facts with the stored row into the row to write and its timeline entries. Null when the stored
 * facts are newer.
 */
export function projectChargeback(reading: Reading): { columns: ChargebackColumns; timeline: TimelineEntry[] } | null {
  const { stored, connection, now } = reading
  const facts = asAccepted(reading)
  const changed = changeDate({ ...reading, facts })
  if (
    stored &&
    !isNewer(stored, { pspStatusChangeDate: date(facts.pspStatusChangeDate), pspSequence: facts.pspSequence })
  )
    return null
  // Values from enrichment stay where the dispute has none.
  const cardScheme = facts.cardScheme ?? stored?.cardScheme ?? null
  const reasonGroup = reasonGroupOf({ ...facts, cardScheme })
  const present = [...new Set([...(stored?.dataPoints ?? []), ...presentFacts(facts), ...presentFacts(stored ?? {})])]
  const subject = {
    ...facts,
    cardScheme,
    paymentMethod: paymentMethod(facts, stored),
    reasonGroup,
    present,
    signals: stored?.signals ?? [],
    closedCases: reading.closedCases(reasonGroup),
    dueDate: dueDate(facts),
    postingDate: date(facts.postingDate),
  }
  const before = stored && { ...stored, recommendation: stored.roiRecommendation }
  const decided = decideChargeback(connection, subject, before, now)
  const { pspStatus, postingDate } = facts
  const next = rereadAfter(
    {
      pspStatus,
      postingDate: date(postingDate),
      changedAt: changed,
      dueDate: dueDate(facts),
      inboxOnly: reading.inboxOnly,
    },
    reading.readAt,
  )
  const id = stored?.id ?? v7()
  const columns: ChargebackColumns = {
    ...columnsOf(facts),
    id,
    merchantUuid: connection.merchantUuid,
    integrationId: connection.integrationId,
    pspAccount: reading.pspAccount,
    dueDate: dueDate(facts)?.toISOString() ?? null,
    pspStatusChangeDate: changed.toISOString(),
    status: decided.status,
    statusReason: decided.reason,
    round: decided.round,
    merchantReferenceName: facts.merchantReferenceName ?? reading.account,
    reasonGroup,
    paymentMethod: subject.paymentMethod,
    providerName: facts.providerName ?? null,
    enrichmentRatio: decided.enrichmentRatio,
    winProbability: decided.winProbability,
    roiRecommendation: decided.recommendation,
    scopeDecision: storedScope(decided.scope),
    anomalies: reading.anomalies,
    answered: stored?.submitted || ANSWERED.has(facts.pspStatus),
    contentHash: `\\x${reading.hash.toString('hex')}`,
    readAt: reading.readAt.toISOString(),
    translationVersion: reading.translationVersion,
    rereadAfter: next?.toISOString() ?? null,
    version: String((stored?.version ?? 0n) + 1n),
  }
  return { columns, timeline: timelineEntries(id, stored, columns) }
}

type FactName = keyof ChargebackFacts & WrittenName

/** The facts that have a column, in their stored form; from the column table. */
function columnsOf(facts: ChargebackFacts): Pick<ChargebackColumns, FactName> {
  const values: Record<string, unknown> = {}
  for (const name of WRITTEN) {
    const fact = facts[name as FactName] ?? null
    values[name] = typeof fact === 'bigint' ? String(fact) : fact
  }
  return values as Pick<ChargebackColumns, FactName>
}

/**
 * If Recoup accepted the chargeback, staged evidence was withheld by Recoup, not by the PSP: the dispute is lost
 * because of the acceptance.
 */
function asAccepted({ facts, stored, accepted }: Reading): ChargebackFacts {
  const ours = accepted || stored?.accepted || (stored?.atWork === 'acceptance' && stored.pspStatus === 'lost')
  const unsent = facts.pspStatus === 'evidence_not_submitted_by_psp'
  return ours && unsent ? { ...facts, pspStatus: 'lost' } : facts
}

/** Statuses that show that the chargeback was contested. */
const ANSWERED = new Set(['under_review', 'won', 'split'])

/** A dispute may report only "card"; the detail from enrichment stays. */
function paymentMethod(facts: ChargebackFacts, stored: StoredChargeback | null): PaymentMethod | null {
  const known = stored?.paymentMethod ?? null
  const vague = facts.paymentMethod === 'card' || facts.paymentMethod === 'other'
  return vague ? (known ?? facts.paymentMethod) : (facts.paymentMethod ?? known)
}

const date = (text: string | null) => (text === null ? null : new Date(text))

const dueDate = (facts: ChargebackFacts) =>
  dueDateOf({
    dueDate: date(facts.dueDate),
    postingDate: date(facts.postingDate),
    cardScheme: facts.cardScheme,
    answerable: facts.pspStatus === 'needs_response',
  })

/** The PSP's time of the change, else the time of the read that showed it. */
function changeDate({ facts, stored, readAt }: Reading): Date {
  if (facts.pspStatusChangeDate) return new Date(facts.pspStatusChangeDate)
  if (stored) return stored.pspStatus === facts.pspStatus ? (stored.pspStatusChangeDate ?? readAt) : readAt
  return facts.pspStatus === 'needs_response' ? (date(facts.postingDate) ?? readAt) : readAt
}
