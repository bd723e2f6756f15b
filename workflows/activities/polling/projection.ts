import { v7 } from 'uuid'
import type { ClosedCasesOf } from '../../../db/chargebacks/closed-cases.ts'
import type { Connection } from '../../../db/integrations/connections.ts'
import type { ChargebackColumns, StoredChargeback, TimelineEntry } from '../../../db/polling/ingest.ts'
import type { ChargebackFacts, PaymentMethod } from '../../../domain/chargeback.ts'
import { dueDateOf } from '../../../domain/deadlines.ts'
import { decideChargeback, storedScope } from '../../../domain/decision.ts'
import { presentFacts } from '../../../domain/enrichment.ts'
import { isNewer } from '../../../domain/psp-facts.ts'
import { reasonGroupOf } from '../../../domain/reason-codes.ts'
import { rereadAfter } from '../../../domain/reread.ts'
import { tell } from './timeline.ts'

export interface Reading {
  facts: ChargebackFacts
  anomalies: string[]
  stored: StoredChargeback | null
  connection: Connection
  closedCases: ClosedCasesOf
  /** The PSP account it was read from. */
  account: string
  /** The account that the dispute belongs to, see `disputeAccount`. */
  pspAccount: string
  hash: Buffer
  /** When the request that brought the object was sent. */
  readAt: Date
  now: Date
  translationVersion: number
  /** The PSP can't be read again: its notifications are all there is. */
  inboxOnly?: boolean
  /** It was read to confirm an acceptance of ours, and confirms it. */
  accepted?: boolean
}

/**
 * Pure: a PSP's facts over what is stored, as the row to write and what the timeline says about it. Null when the
 * stored facts are newer than these.
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
  // What enrichment found out stays, where the dispute itself is silent.
  const cardScheme = facts.cardScheme ?? ((stored?.cardScheme ?? null) as ChargebackFacts['cardScheme'])
  const reasonGroup = reasonGroupOf({ ...facts, cardScheme })
  const stays = { ...stored, transactionCreatedDate: stored?.transactionCreatedDate?.toISOString() ?? null }
  const present = [...new Set([...(stored?.dataPoints ?? []), ...presentFacts(facts), ...presentFacts(stays)])]
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
  const decided = decideChargeback(connection, subject, stored, now)
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
    id,
    merchant_uuid: connection.merchantUuid,
    integration_id: connection.integrationId,
    chargeback_id: facts.chargebackId,
    psp: facts.psp,
    psp_account: reading.pspAccount,
    currency: facts.currency,
    amount_minor: String(facts.amountMinor),
    amount_exponent: facts.amountExponent,
    posting_date: facts.postingDate,
    transaction_created_date: facts.transactionCreatedDate,
    due_date: dueDate(facts)?.toISOString() ?? null,
    psp_status: facts.pspStatus,
    further_answer: facts.furtherAnswer ?? null,
    psp_status_change_date: changed.toISOString(),
    psp_sequence: facts.pspSequence === null ? null : String(facts.pspSequence),
    status: decided.status,
    status_reason: decided.reason,
    lifecycle_stage: facts.lifecycleStage,
    round: decided.round,
    transaction_id: facts.transactionId,
    arn: facts.arn,
    external_transaction_identifier: facts.externalTransactionIdentifier,
    merchant_reference_name: facts.merchantReferenceName ?? reading.account,
    reason_code: facts.reasonCode,
    reason: facts.reason,
    reason_group: reasonGroup,
    card_scheme: facts.cardScheme,
    payment_method: subject.paymentMethod,
    bin: facts.bin,
    card_last_four_digits: facts.cardLastFourDigits,
    billing_country: facts.billingCountry,
    provider_name: facts.providerName ?? null,
    enrichment_ratio: decided.enrichmentRatio,
    win_probability: decided.winProbability,
    roi_recommendation: decided.recommendation,
    scope_decision: storedScope(decided.scope),
    anomalies: reading.anomalies,
    answered: stored?.submitted || ANSWERED.has(facts.pspStatus),
    content_hash: `\\x${reading.hash.toString('hex')}`,
    read_at: reading.readAt.toISOString(),
    translation_version: reading.translationVersion,
    reread_after: next?.toISOString() ?? null,
    version: String((stored?.version ?? 0n) + 1n),
  }
  return { columns, timeline: tell(id, stored, columns) }
}

/**
 * Evidence that was staged before an acceptance of ours went out was withheld by us, not by the PSP: the dispute is lost
 * because it was accepted.
 */
function asAccepted({ facts, stored, accepted }: Reading): ChargebackFacts {
  const ours = accepted || stored?.accepted || (stored?.atWork === 'acceptance' && stored.pspStatus === 'lost')
  const unsent = facts.pspStatus === 'evidence_not_submitted_by_psp'
  return ours && unsent ? { ...facts, pspStatus: 'lost' } : facts
}

/** The PSP has, or had, an answer. */
const ANSWERED = new Set(['under_review', 'won', 'split'])

/** A dispute may say only that it was a card; what enrichment found out about it stays. */
function paymentMethod(facts: ChargebackFacts, stored: StoredChargeback | null): PaymentMethod | null {
  const known = (stored?.paymentMethod ?? null) as PaymentMethod | null
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

/** The PSP's own time of the change; else the time of the read that showed it. */
function changeDate({ facts, stored, readAt }: Reading): Date {
  if (facts.pspStatusChangeDate) return new Date(facts.pspStatusChangeDate)
  if (stored) return stored.pspStatus === facts.pspStatus ? (stored.pspStatusChangeDate ?? readAt) : readAt
  return facts.pspStatus === 'needs_response' ? (date(facts.postingDate) ?? readAt) : readAt
}
