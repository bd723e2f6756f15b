import { v7 } from 'uuid'
import type { Connection } from '../../db/connections.ts'
import type { ChargebackColumns, StoredChargeback, TimelineEntry } from '../../db/ingest.ts'
import { accountSettings } from '../../domain/account-settings.ts'
import { assess } from '../../domain/assessment.ts'
import type { ChargebackFacts, LifecycleStage, PspStatus, ReasonGroup, Status } from '../../domain/chargeback.ts'
import { dueDateOf } from '../../domain/deadlines.ts'
import { enrichmentRatio } from '../../domain/enrichment.ts'
import { decideStatus } from '../../domain/handling.ts'
import { isNewer } from '../../domain/psp-facts.ts'
import { reasonGroupOf } from '../../domain/reason-codes.ts'

export interface Reading {
  facts: ChargebackFacts
  anomalies: string[]
  stored: StoredChargeback | null
  connection: Connection
  hash: Buffer
  /** When the request that brought the object was sent. */
  readAt: Date
  now: Date
  translationVersion: number
}

/** Fact names that raise the enrichment ratio, when the PSP's dispute or transaction has them. */
const FACT_POINTS = ['bin', 'arn', 'billingCountry', 'cardLastFourDigits', 'transactionCreatedDate'] as const

/**
 * Pure: a PSP's facts over what is stored, as the row to write and what the timeline says about it. Null when the
 * stored facts are newer than these.
 */
export function projectChargeback(reading: Reading): { columns: ChargebackColumns; timeline: TimelineEntry[] } | null {
  const { facts, stored, connection, now } = reading
  const changed = changeDate(reading)
  if (
    stored &&
    !isNewer(stored, { pspStatusChangeDate: date(facts.pspStatusChangeDate), pspSequence: facts.pspSequence })
  )
    return null
  const reasonGroup = reasonGroupOf(facts)
  const present = [...(stored?.dataPoints ?? []), ...FACT_POINTS.filter((name) => facts[name] !== null)]
  const ratio = enrichmentRatio(reasonGroup, present)
  const decided = decide({
    connection,
    now,
    stored,
    ratio,
    dueDate: dueDate(facts),
    postingDate: date(facts.postingDate),
    pspStatus: facts.pspStatus,
    lifecycleStage: facts.lifecycleStage,
  })
  const judged = judge({ ...facts, reasonGroup, status: decided.status, present, now, dueDate: dueDate(facts) })
  const id = stored?.id ?? v7()
  const columns: ChargebackColumns = {
    id,
    merchant_uuid: connection.merchantUuid,
    integration_id: connection.integrationId,
    chargeback_id: facts.chargebackId,
    psp: facts.psp,
    currency: facts.currency,
    amount_minor: String(facts.amountMinor),
    amount_exponent: facts.amountExponent,
    posting_date: facts.postingDate,
    transaction_created_date: facts.transactionCreatedDate,
    due_date: dueDate(facts)?.toISOString() ?? null,
    psp_status: facts.pspStatus,
    psp_status_change_date: changed.toISOString(),
    psp_sequence: facts.pspSequence === null ? null : String(facts.pspSequence),
    status: decided.status,
    status_reason: decided.reason,
    lifecycle_stage: facts.lifecycleStage,
    round: decided.round,
    transaction_id: facts.transactionId,
    arn: facts.arn,
    external_transaction_identifier: facts.externalTransactionIdentifier,
    merchant_reference_name: facts.merchantReferenceName ?? connection.pspAccount ?? connection.externalIdentifier,
    reason_code: facts.reasonCode,
    reason: facts.reason,
    reason_group: reasonGroup,
    card_scheme: facts.cardScheme,
    payment_method: facts.paymentMethod,
    bin: facts.bin,
    card_last_four_digits: facts.cardLastFourDigits,
    billing_country: facts.billingCountry,
    enrichment_ratio: ratio,
    win_probability: judged?.winProbability ?? null,
    roi_recommendation: judged?.recommendation ?? null,
    anomalies: reading.anomalies,
    content_hash: `\\x${reading.hash.toString('hex')}`,
    read_at: reading.readAt.toISOString(),
    translation_version: reading.translationVersion,
    version: String((stored?.version ?? 0n) + 1n),
  }
  return { columns, timeline: tell(id, stored, columns) }
}

export interface Deciding {
  connection: Connection
  now: Date
  stored: Pick<
    StoredChargeback,
    'status' | 'statusReason' | 'pspStatus' | 'lifecycleStage' | 'round' | 'shouldFight' | 'accepted' | 'submitted'
  > | null
  ratio: number
  dueDate: Date | null
  postingDate: Date | null
  pspStatus: string
  lifecycleStage: string
}

/** The service's status by the rules, with what integration, merchant and account say. */
export function decide(input: Deciding): { status: Status; reason: string; round: number } {
  const { connection, stored } = input
  const settings = accountSettings(connection.settings)
  return decideStatus({
    now: input.now,
    current: stored && {
      status: stored.status as Status,
      statusReason: stored.statusReason,
      pspStatus: stored.pspStatus as PspStatus,
      lifecycleStage: stored.lifecycleStage as LifecycleStage,
      round: stored.round,
    },
    pspStatus: input.pspStatus as PspStatus,
    lifecycleStage: input.lifecycleStage as LifecycleStage,
    dueDate: input.dueDate,
    postingDate: input.postingDate,
    enrichmentRatio: input.ratio,
    shouldFight: stored?.shouldFight ?? null,
    accepted: stored?.accepted ?? false,
    submitted: stored?.submitted ?? false,
    outOfScope: null,
    live: { goLiveDate: connection.goLiveDate, waits: connection.goLiveWaits },
    deactivation: connection.integrationDeactivation ?? connection.merchantDeactivation,
    represent: settings.represent,
    threshold: settings.enrichmentThreshold,
  })
}

export interface Judging {
  status: Status
  pspStatus: PspStatus
  reasonGroup: ReasonGroup
  cardScheme: ChargebackFacts['cardScheme']
  lifecycleStage: LifecycleStage
  amountMinor: bigint
  amountExponent: number
  currency: string
  present: readonly string[]
  dueDate: Date | null
  now: Date
}

/** Chance and advice, for chargebacks that can still be answered. */
export function judge(input: Judging): ReturnType<typeof assess> {
  if (input.status !== 'waiting_for_data' && input.status !== 'building_evidence') return null
  return assess({ ...input, closedCases: { won: 0, lost: 0 } })
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

const TOLD = [
  ['status', 'status'],
  ['pspStatus', 'psp_status'],
  ['lifecycleStage', 'lifecycle_stage'],
  ['amountMinor', 'amount_minor'],
  ['dueDate', 'due_date'],
] as const

function tell(id: string, stored: StoredChargeback | null, columns: ChargebackColumns): TimelineEntry[] {
  const after: Record<string, unknown> = Object.fromEntries(TOLD.map(([name, column]) => [name, columns[column]]))
  const entry = { chargeback_id: id, source: String(columns.psp) }
  if (!stored) return [{ ...entry, what: 'ingested', before: null, after: { ...after, reason: columns.status_reason } }]
  const old: Record<string, unknown> = {
    ...Object.fromEntries(TOLD.map(([name]) => [name, stored[name]])),
    amountMinor: String(stored.amountMinor),
    dueDate: stored.dueDate?.toISOString() ?? null,
  }
  return TOLD.filter(([name]) => old[name] !== after[name]).map(([name]) => ({
    ...entry,
    what: `${name === 'amountMinor' ? 'amount' : name} changed`,
    before: { [name]: old[name] },
    after: { [name]: after[name], ...(name === 'status' && { reason: columns.status_reason }) },
  }))
}
